"""The lines of a page: what is one, where it stands, which are prose."""

from __future__ import annotations

import pytest

from extract import prose
from extract.prose import Line, plain_lines, read_lines, weigh
from extract.tree import parse

SENTENCE = "The ferry left the island at six, an hour before the wind turned."


def lines(html: str) -> list[Line]:
    return read_lines(parse(html))


def texts(html: str) -> list[str]:
    return [line.text for line in lines(html)]


def zone_of(html: str, text: str = "here") -> int:
    return next(line.zone for line in lines(html) if text in line.text)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>one <b>two</b></p><p>three", ["one two", "three"]),
        ("<table><tr><td>one<td>two</table>", ["one", "two"]),
        ("<p>one<br>still one<br><br>two", ["one still one", "two"]),
        ("one<p>two</p>three", ["one", "two", "three"]),
        ("<p>seen<span hidden>unseen</span>seen", ["seen", "unseen", "seen"]),
        ("<script>x</script><style>x</style><textarea>x</textarea><p>one", ["one"]),
        ("<select><option>Deutsch<option>English</select><p>one", ["one"]),
        ("<template><p>x</template><template shadowrootmode=open><p>one</template>", ["one"]),
        ("<p> \n </p><p>\u200b</p>", []),
    ],
)
def test_a_line_is_the_text_of_a_block(html: str, expected: list[str]) -> None:
    assert texts(html) == expected


@pytest.mark.parametrize(
    ("html", "zone"),
    [
        ("<nav><p>here</nav>", prose.FURNITURE),
        ("<header><p>here</header>", prose.FURNITURE),
        ("<div role=navigation>here</div>", prose.FURNITURE),
        ("<div class='site-footer dark'>here</div>", prose.FURNITURE),
        ("<div id=cookie-bar><p>here</div>", prose.BANNER),
        ("<div role=dialog>here</div>", prose.DIALOG),
        ("<dialog open>here</dialog>", prose.DIALOG),
        ("<dialog>here</dialog>", prose.HIDDEN),
        ("<button>here</button>", prose.CONTROL),
        ("<noscript><p>here</noscript>", prose.NOSCRIPT),
        ("<div style='display:none'>here</div>", prose.HIDDEN),
        ("<p>{{here}} {{there}}", prose.PLACEHOLDER),
    ],
)
def test_what_is_beside_the_text_is_known(html: str, zone: int) -> None:
    assert zone_of(html) & zone


@pytest.mark.parametrize(
    "html",
    [
        "<p>here</p>",
        "<header><h1>here</h1></header>",
        "<article><header><p>here</p></header></article>",
        "<aside><h1>Title</h1><p>here</p></aside>",
        "<div class=cookie-recipes><h1>Oats</h1><p>here</p></div>",
        "<nav><button><main><p>here</p></main></button></nav>",
        "<p>here, and {{there}} in a long sentence about templates</p>",
    ],
)
def test_the_text_is_the_text_whatever_holds_it(html: str) -> None:
    assert not zone_of(html) & prose.BESIDE


@pytest.mark.parametrize(
    ("html", "is_prose"),
    [
        (f"<p>{SENTENCE}", True),
        (f"<p><a href=x>{SENTENCE}</a>", False),
        ("<p>Contact", False),
        ("<p>Home News Sport Business Culture Weather Shop Jobs Cars Houses Travel Food", False),
        ("<p>从星期一开始渡轮每天早上六点十分和下午五点四十分从北码头出发。", True),
        ("<p>从星期一开始渡轮出发。", False),
        ("<p>ตั้งแต่วันจันทร์เป็นต้นไปเรือข้ามฟากจะออกจากท่าเรือเหนือเวลาหกโมงสิบนาทีทุกวัน", True),
        ("<p>" + "+((!+[]+(!![])+!![]+!![]+!![]+!![]+!![]+!![]+[])" * 3, False),
    ],
    ids=["sentence", "link", "label", "menu", "zh", "zh-short", "th", "code"],
)
def test_a_sentence_is_prose_in_any_script(html: str, is_prose: bool) -> None:
    assert lines(html)[0].is_prose is is_prose


def test_a_wide_character_weighs_more() -> None:
    assert weigh("abcd") == 4
    assert weigh("渡轮") == weigh("フェ") == weigh("여객") == 5
    assert weigh("Fähr") == weigh("เรือ") == 4


def test_links_are_weighed_apart() -> None:
    line = lines("<p>see <a href=x>there</a> now")[0]
    assert (line.weight, line.linked, line.own) == (13, 5, 8)


def test_reading_stops_when_there_is_enough() -> None:
    page = f"<p>{SENTENCE}</p>" * 1000
    assert len(read_lines(parse(page), enough=100)) == 2
    assert len(plain_lines(f"{SENTENCE}\n\n" * 1000, enough=100)) == 2


def test_paragraphs_are_the_lines_of_a_plain_text() -> None:
    assert [line.text for line in plain_lines("one\ntwo\n\n \nthree\n")] == ["one two", "three"]
