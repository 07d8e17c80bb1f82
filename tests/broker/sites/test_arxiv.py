"""arXiv: which requests a paper takes, and what becomes of its page, its abstract and its PDF."""

from __future__ import annotations

import pytest

from broker.errors import LaneFailed, NotConnected
from broker.providers.arxiv_feed import read_paper
from broker.providers.arxiv_id import paper_id
from broker.sites.arxiv_abs import paper_of_page
from broker.sites.arxiv_authors import authors_in
from broker.sites.arxiv_html import piece_of_html
from broker.sites.base import Text
from extract.tree import parse
from tests.broker.sites.talking import Talk, conversation, no_heading_but_ours, spoken
from tests.emulators.saved_sites import FOLDER, SiteMode
from tests.emulators.site_doors import Door
from tests.emulators.web_reading import article, prose

API = "https://export.arxiv.org/api/query?id_list={}&max_results=1"
PDF_TEXT = Text(
    url="https://arxiv.org/pdf/1706.03762",
    markdown="# Herons Are All You Need\n\nThe river.\n\n# 1 Introduction\n\nThe very last line.",
    title="Herons Are All You Need",
    warnings=("2 pages were scanned",),
)
NO_PARTS = NotConnected("refused", "nothing reads PDF files here", url="")


def asked(url: str, *, pdf: Text | NotConnected = PDF_TEXT, door: Door | None = None) -> Talk:
    paper = url.rpartition("/")[2].removesuffix(".pdf")
    if "hep-th" in url:
        paper = f"hep-th/{paper}"
    texts = {f"https://arxiv.org/pdf/{paper}": pdf}
    return spoken(url, door or Door("arxiv"), texts=texts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("url", "paper"),
    [
        ("https://arxiv.org/abs/1706.03762", "1706.03762"),
        ("https://www.arxiv.org/pdf/1706.03762", "1706.03762"),
        ("https://arxiv.org/html/1706.03762", "1706.03762"),
        ("https://arxiv.org/pdf/1706.03762v7.pdf", "1706.03762v7"),
        ("https://export.arxiv.org/abs/hep-th/9901001", "hep-th/9901001"),
    ],
)
def test_an_old_paper_is_its_abstract_and_its_pdf_and_nothing_is_probed_for(
    url: str, paper: str
) -> None:
    talk = asked(url)
    query = paper.replace("/", "%2F")
    assert talk.asked == [API.format(query), f"https://arxiv.org/pdf/{paper}"]
    assert talk.gets[0].provider == "arxiv"
    assert dict(talk.gets[0].headers)["User-Agent"].startswith("webaio/")
    assert talk.document.url == f"https://arxiv.org/abs/{paper}"
    assert "The very last line." in talk.text


@pytest.mark.parametrize("kind", ["abs", "pdf", "html"])
def test_a_young_paper_is_one_request_for_its_page(kind: str) -> None:
    talk = asked(f"https://arxiv.org/{kind}/2403.01234v2")
    assert talk.asked == ["https://arxiv.org/html/2403.01234v2"]
    assert talk.document.title == "Tide Gauges That Learn: Forecasts & Faults"


def test_a_young_paper_without_a_page_is_its_abstract_and_its_pdf() -> None:
    talk = asked("https://arxiv.org/abs/2403.09999")
    assert talk.asked == [
        "https://arxiv.org/html/2403.09999",
        API.format("2403.09999"),
        "https://arxiv.org/pdf/2403.09999",
    ]
    assert talk.document.warnings == ("2 pages were scanned",)


@pytest.mark.parametrize(
    ("mode", "why"),
    [
        (SiteMode.BROKEN, "the page of its text answered 501"),
        (SiteMode.SLOW, "the page of its text could not be read: nobody answers"),
        (SiteMode.MALFORMED, "the page of its text has no paper in it"),
    ],
)
def test_a_page_that_fails_is_told_and_the_pdf_read(mode: SiteMode, why: str) -> None:
    door = Door("arxiv")
    door.mode, door.only = mode, "/html/"
    talk = asked("https://arxiv.org/abs/2403.09999", door=door)
    assert talk.document.warnings[0] == why
    assert "The very last line." in talk.text


def test_a_page_whose_conversion_failed_is_none() -> None:
    talk = asked("https://arxiv.org/html/2312.00001", pdf=NO_PARTS)
    assert talk.asked[0] == "https://arxiv.org/html/2312.00001"
    assert len(talk.asked) > 1


def test_the_document_of_an_old_paper() -> None:
    talk = asked("https://arxiv.org/abs/1706.03762")
    piece = talk.document
    assert (piece.title, piece.byline) == ("Herons Are All You Need", "Ada Example, Björn Ålund")
    assert piece.published == "2017-06-12T17:57:34Z"
    assert piece.markdown == (
        "# Herons Are All You Need\n\n"
        "Ada Example, Björn Ålund · 2017-06-12 · revised 2023-08-02"
        " · [arXiv:1706.03762v7](https://arxiv.org/abs/1706.03762v7) · cs.CL, cs.LG"
        " · [PDF](https://arxiv.org/pdf/1706.03762)\n\n"
        "- Ada Example: Harbour Institute\n\n"
        "* Comments: 15 pages, 5 figures\n"
        "* Journal: J. Herons 5 (2017) 1-15\n"
        "* DOI: [10.1000/heron.7](https://doi.org/10.1000/heron.7)\n\n"
        "## Abstract\n\n"
        "The river was read with nets. We read it with herons & \\*nothing\\* else, in $O(n)$"
        " steps.\n\n## Full text\n\n### Herons Are All You Need\n\nThe river.\n\n"
        "### 1 Introduction\n\nThe very last line."
    )
    assert no_heading_but_ours(piece.markdown)


def test_without_anything_that_reads_pdf_the_abstract_stands_alone() -> None:
    talk = asked("https://arxiv.org/abs/1706.03762", pdf=NO_PARTS)
    assert talk.document.warnings == (
        "the text of its PDF is left out: nothing reads PDF files here",
    )
    assert "## Full text" not in talk.text
    assert "We read it with herons" in talk.text


def test_a_busy_api_is_not_waited_for_the_abstracts_page_says_the_same() -> None:
    """As the pacing of the API raises it, in the place of its answer."""
    door = Door("arxiv")
    door.mode, door.only = SiteMode.RATE_LIMITED, "/api/query"
    talk = asked("https://arxiv.org/abs/1706.03762", door=door)
    assert talk.asked[-1] == "https://arxiv.org/abs/1706.03762"
    for part in (
        "Björn Ålund",
        "revised 2023-08-02",
        "cs.CL, cs.LG",
        "15 pages",
        "10.1000/heron.7",
    ):
        assert part in talk.text
    assert talk.document.published == "2017-06-12"


def test_with_nothing_known_the_pdf_is_the_document() -> None:
    door = Door("arxiv")
    door.mode = SiteMode.BROKEN
    talk = asked("https://arxiv.org/abs/1706.03762", door=door)
    assert talk.document.title == "Herons Are All You Need"
    assert "what arXiv knows of it is left out" in talk.document.warnings[0]
    assert "The very last line." in talk.text


def test_with_nothing_at_all_the_page_is_left_to_the_ordinary_way() -> None:
    door = Door("arxiv")
    door.mode = SiteMode.MISSING
    talk = asked("https://arxiv.org/abs/1706.03762", pdf=NO_PARTS, door=door)
    assert talk.error is not None
    assert talk.error.code == "not_found"


@pytest.mark.parametrize(
    "url",
    [
        "https://arxiv.org/list/cs.CL/recent",
        "https://arxiv.org/",
        "https://arxiv.org/abs/not-an-id",
        "https://arxiv.org/html/2403.01234v2/x1.png",
        "https://arxiv.org/src/2403.01234",
    ],
)
def test_other_pages_are_read_as_any_page_is(url: str) -> None:
    assert conversation(url) is None


# --- the paper's own page ------------------------------------------------------------------------


def paper_text() -> str:
    piece = piece_of_html(
        (FOLDER / "arxiv" / "2403.01234.html").read_text(),
        "https://arxiv.org/html/2403.01234v2",
        paper_id("2403.01234v2"),  # type: ignore[arg-type]
    )
    assert piece is not None
    assert piece.byline == "Ada Example, Björn Ålund, Chi Ñandú"
    assert (piece.published, piece.lang) == ("2024-03-05", "en")
    return piece.markdown


@pytest.mark.parametrize(
    "part",
    [
        "# Tide Gauges That Learn: Forecasts & Faults\n",
        "- Ada Example: Harbour Institute, Tromsø\n",
        "## Abstract\n\nA gauge that reads the tide",
        "$h(t)=\\sum_{k}a_{k}\\cos\\omega_{k}t$",
        "**Keywords:**",
        "## 1 Introduction\n",
        "### 2.1 Update\n",
        "$$\na\\leftarrow a+\\eta\\,e\\,\\phi, \\tag{1}\n$$",
        "$$\ne =y-h(t) \\tag{2}\n$$\n\n$$\n\\eta =1/\\sqrt{t}\n$$",
        "Algorithm 1 One reading\n\n```\nfor each reading $y$ do\n   move $a$\n```",
        "![Figure 1](https://arxiv.org/html/2403.01234v2/x1.png)\n\nFigure 1: Forecast against",
        "| Port | Table | Ours |\n| --- | --- | --- |\n| Narvik | 14.2 | 6.9 |",
        "| Float | 12 |",
        "**Lemma 1.**\n\nThe regret",
        "## Acknowledgements\n",
        "Harmonic tables (Darwin, 1883) age badly.[^1] Section 2 shows",
        "[^1]: A table is redrawn every nineteen years, see [https://tables.example/redrawn]",
        "[the repository](https://code.example/gauge)",
        "## References\n\n- Darwin [1883] G. H. Darwin. On the harmonic analysis",
        "(https://tides.example/darwin)",
        "- [2] E. Nameless.",
        "## Appendix A Proofs\n",
    ],
)
def test_what_a_papers_page_says_is_kept(part: str) -> None:
    assert part in paper_text()


def test_what_stands_around_a_paper_is_dropped() -> None:
    text = paper_text()
    for words in (
        "Report issue", "Report Issue", "Back to Abstract", "experimental", "Generated by",
        "qedhere", "License",
        "Equal contribution", "@", "#bib", "Refer to caption", "(March 2024)",
    ):  # fmt: skip
        assert words not in text
    assert no_heading_but_ours(text)


def test_a_page_that_another_program_has_made_is_read_as_any_page_is() -> None:
    page = article("The heron", prose(8, 1))
    piece = piece_of_html(page, "https://arxiv.org/html/1", paper_id("2403.01234"))  # type: ignore[arg-type]
    assert piece is not None
    assert (piece.title, piece.url) == ("The heron", "https://arxiv.org/abs/2403.01234")
    assert len(piece.markdown.split()) > 100


# --- what is known of a paper --------------------------------------------------------------------


def test_the_api_and_the_abstracts_page_know_the_same() -> None:
    of_api = read_paper((FOLDER / "arxiv" / "feed-1706.03762.xml").read_bytes())
    of_page = paper_of_page((FOLDER / "arxiv" / "abs-1706.03762.html").read_text())
    assert of_api is not None
    assert of_page is not None
    for name in ("title", "abstract", "comment", "journal", "doi", "categories"):
        assert getattr(of_api, name) == getattr(of_page, name), name
    assert [a.name for a in of_api.authors] == [a.name for a in of_page.authors]
    assert of_api.published.startswith(of_page.published)


@pytest.mark.parametrize("answer", ["", "<p>", "<feed/>", "\x00", "{}", "<html><body>No</body>"])
def test_what_is_no_paper_is_none(answer: str) -> None:
    assert read_paper(answer) is None
    assert paper_of_page(answer) is None
    assert piece_of_html(answer, "https://arxiv.org/html/1", paper_id("2403.01234")) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "has_html"),
    [
        ("2312.00001", True),
        ("2311.99999", False),
        ("2403.01234v2", True),
        ("1706.03762", False),
        ("hep-th/9901001", False),
        ("math.GT/0309136", False),
        ("arXiv:2501.00001", True),
    ],
)
def test_an_id_says_whether_the_paper_is_young_enough(text: str, has_html: bool) -> None:
    paper = paper_id(text)
    assert paper is not None
    assert paper.has_html is has_html


@pytest.mark.parametrize(
    "text", ["", "1706.037", "170603762", "heron", "2403.01234x", "a/b", "3.11"]
)
def test_what_is_no_id_is_none(text: str) -> None:
    assert paper_id(text) is None


def test_a_lane_that_fails_counts_as_any_failure() -> None:
    """`Together` hands errors over in the place of answers, whatever their kind."""
    talk = conversation("https://arxiv.org/abs/1706.03762")
    assert talk is not None
    next(talk)
    step = talk.send((LaneFailed("paced", "its next turn comes late"), PDF_TEXT))
    assert step.url == "https://arxiv.org/abs/1706.03762"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("inner", "names"),
    [
        ("Ada Example", ["Ada Example"]),
        ("Ada Example, Björn Ålund and Chi Ñandú", ["Ada Example", "Björn Ålund", "Chi Ñandú"]),
        ("Ada Example<br>Carnegie Mellon<br>ada@cmu.example", ["Ada Example"]),
        (
            "Ada Example<sup>1</sup>, Björn Ålund<sup>1,2</sup><br><sup>1</sup>ETH Fjord",
            ["Ada Example", "Björn Ålund"],
        ),
        (
            "Ada Example<math alttext='{}^{1}'><mi>1</mi></math>,<br>Björn Ålund<br>Stanbridge",
            ["Ada Example", "Björn Ålund"],
        ),
        (
            "Ada Example<br>ETH<span class='ltx_ERROR'>\\AND</span>Björn Ålund<br>ETH",
            ["Ada Example", "Björn Ålund"],
        ),
        (
            "Ada Example<sup>*</sup><br>Björn Ålund<sup>†</sup><br>Department of Mud",
            ["Ada Example", "Björn Ålund"],
        ),
        ("{ada, bjorn}@fjord.example", []),
        ("The Heron Team", []),
    ],
)
def test_names_are_told_from_places(inner: str, names: list[str]) -> None:
    tree = parse(
        "<div><span class='ltx_creator ltx_role_author'>"
        f"<span class='ltx_personname'>{inner}</span></span></div>"
    )
    assert [author.name for author in authors_in(tree)] == names
