"""Bytes as text: what a page says, what it is, and what is broken about it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extract.charset_labels import codec_of, name_of
from extract.decode import decode

# ruff: noqa: RUF001 - texts of many languages

# A sentence and a headline in each legacy encoding that pages still come in.
SAMPLES = {
    "gb18030": ("据新华社报道，今天上午在北京召开的会议上，专家们讨论了发展方向。", "联通公司新闻"),
    "big5": ("根據中央社報導，今天上午在台北召開的會議上，專家們討論了方向。", "最新消息公告"),
    "shift_jis": ("本日の会議で、専門家たちは人工知能の発展を議論しました。", "検索結果の一覧"),
    "euc-jp": ("本日の会議で、専門家たちは人工知能の発展を議論しました。", "検索結果の一覧"),
    "euc-kr": ("오늘 오전 서울에서 열린 회의에서 전문가들은 논의했다.", "검색 결과 목록"),
    "windows-1251": ("Сегодня утром в Москве состоялось заседание экспертов.", "Новости дня"),
    "koi8-u": ("Сегодня утром в Москве состоялось заседание экспертов.", "Новости дня"),
    "windows-1252": ("Les élèves français étaient fâchés à l'idée d'un café.", "Über große Städte"),
    "windows-1250": ("Zażółć gęślą jaźń. Wczoraj odbyło się spotkanie.", "Příliš žluťoučký kůň"),
    "windows-1253": ("Σήμερα το πρωί στην Αθήνα έγινε συνάντηση των ειδικών.", "Νέα της ημέρας"),
    "windows-1255": ("הבוקר בירושלים התקיימה פגישה שבה דנו המומחים.", "חדשות היום"),
    "windows-1256": ("عقد صباح اليوم في القاهرة اجتماع ناقش فيه الخبراء.", "أخبار اليوم"),
    "windows-1254": ("Bugün İstanbul'da toplantıda gelişmeleri tartıştı, dediler.", "Günün ışığı"),
    "windows-874": ("วันนี้ที่กรุงเทพมีการประชุมผู้เชี่ยวชาญ", "ข่าววันนี้"),
}
CASES = [
    pytest.param(name, text, id=f"{name} {kind}")
    for name, texts in SAMPLES.items()
    for kind, text in zip(("sentence", "headline"), texts, strict=True)
]


def page(body: bytes, head: bytes = b"<title>x</title>") -> bytes:
    return b"<html><head>" + head + b"</head><body class='a'><p>" + body + b"</p></body></html>"


def written(text: str, name: str) -> bytes:
    codec = codec_of(name)
    assert codec is not None
    return text.encode(codec)


@given(st.binary(), st.one_of(st.none(), st.text()))
def test_decoding_never_raises(data: bytes, content_type: str | None) -> None:
    assert isinstance(decode(data, content_type).text, str)


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])))
def test_valid_utf_8_is_read_as_such_under_any_label(text: str) -> None:
    result = decode(page(text.encode()), "text/html; charset=iso-8859-1")
    assert result.text == page(text.encode()).decode()
    assert (result.encoding, result.lossy) == ("utf-8", False)


@pytest.mark.parametrize(("name", "text"), CASES)
def test_an_encoding_that_is_not_declared_is_found(name: str, text: str) -> None:
    for data in (written(text, name), page(written(text, name))):
        result = decode(data)
        assert text in result.text
        assert (result.encoding, result.lossy) == (name, False)


@pytest.mark.parametrize(("name", "text"), CASES)
@pytest.mark.parametrize("where", ["header", "meta", "http-equiv", "xml", "wrong header"])
def test_an_encoding_that_is_declared_is_used(name: str, text: str, where: str) -> None:
    label = name.encode()
    head = {
        "meta": b"<meta name=description content=x><META CHARSET='%s'>" % label,
        "http-equiv": b'<meta content="text/html; charset=%s" http-equiv=Content-Type>' % label,
    }.get(where, b"")
    data = page(written(text, name), head)
    if where == "xml":
        data = b'<?xml version="1.0" encoding="%s"?>' % label + data
    header = {"header": f'text/html;charset="{name}"', "wrong header": "text/html; charset=utf-8"}
    assert text in decode(data, header.get(where)).text


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("latin1", "windows-1252"),
        ("ISO-8859-1", "windows-1252"),
        ("us-ascii", "windows-1252"),
        ("gb2312", "gb18030"),
        ("GBK", "gb18030"),
        ("x-sjis", "shift_jis"),
        ("Shift_JIS", "shift_jis"),
        ("windows-31j", "shift_jis"),
        ("ks_c_5601-1987", "euc-kr"),
        ("iso-8859-9", "windows-1254"),
        ("iso-8859-8-i", "windows-1255"),
        ("tis-620", "windows-874"),
        ("iso_8859-2:1987", None),
        ("iso-8859-2", "iso-8859-2"),
        ("cp1251", "windows-1251"),
        ("x-cp1251", "windows-1251"),
        ("big5-hkscs", "big5"),
        ("UTF8", "utf-8"),
        ("utf-7", None),
        ("none", None),
        ("", None),
    ],
)
def test_a_label_means_what_browsers_take_it_for(label: str, name: str | None) -> None:
    codec = codec_of(label)
    assert (codec and name_of(codec)) == name


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_utf_16_and_marks_are_seen_without_a_declaration(codec: str) -> None:
    text = "<html><title>検索</title><p>grüße"
    result = decode(text.encode(codec))
    assert result.text == text
    assert result.encoding.replace("utf-16", "utf-16-le")[:5] == codec[:5]
    assert not result.lossy


def test_utf_16_declared_in_ascii_says_nothing() -> None:
    assert decode(page(b"plain", b"<meta charset=utf-16>")).encoding == "utf-8"
    text = "Les élèves français"
    assert text in decode(page(text.encode("cp1252"), b"<meta charset=utf-16>")).text


def test_a_declaration_in_a_comment_or_a_description_says_nothing() -> None:
    text = "Сегодня в Москве"
    head = b"<!-- <meta charset=gbk> --><meta name=description content='charset=gbk'>"
    assert text in decode(page(text.encode("cp1251"), head)).text


def test_a_label_that_makes_nonsense_of_the_bytes_loses() -> None:
    text = SAMPLES["gb18030"][0]
    assert text in decode(page(text.encode("gb18030")), "text/html; charset=ISO-8859-1").text


def test_japanese_mail_encoding_is_known_by_its_escapes() -> None:
    text = "<title>検索</title>結果"
    assert decode(text.encode("iso2022_jp")).text == text
    assert decode(b"<p>a\x1b[1mb ~{").text == "<p>a[1mb ~{"
    assert decode(b"~{VPND~}", "text/html; charset=hz-gb-2312").text == "中文"


def test_stray_windows_bytes_in_utf_8_are_read_as_such() -> None:
    body = "naïve café – déjà vu".encode() + b" \x93quoted\x94 \x85 caf\xe9 "
    result = decode(page(body))
    assert "naïve café – déjà vu “quoted” … café " in result.text
    assert (result.encoding, result.lossy) == ("utf-8", False)


def test_stray_bytes_in_cyrillic_are_cyrillic() -> None:
    result = decode(page("Новости дня и погода".encode() + " Москва".encode("cp1251") * 2))
    assert "погода Москва Москва" in result.text


def test_a_character_cut_in_two_is_a_loss_and_nothing_else() -> None:
    result = decode(page("今天上午在北京".encode() + "召".encode()[:2] + b"... " + "会议".encode()))
    assert "今天上午在北京\ufffd... 会议" in result.text
    assert (result.encoding, result.lossy) == ("utf-8", True)


def test_a_replacement_character_that_the_page_wrote_is_no_loss() -> None:
    assert not decode(page("café \ufffd".encode() + b"\xe9")).lossy


def test_broken_bytes_in_a_legacy_page_stay_where_they_are() -> None:
    text = SAMPLES["gb18030"][0]
    body = text.encode("gb18030") + b"<b>\xff\xff</b>" + text.encode("gb18030")
    result = decode(page(body, b"<meta charset=gbk>"))
    assert result.text.count(text) == 2
    assert (result.encoding, result.lossy) == ("gb18030", True)


def test_control_characters_are_dropped_and_white_space_is_kept() -> None:
    assert decode(b"a\0b\x01\x08\x0b\x1f\x7fc\t\r\n\x0cd").text == "abc\t\r\n\x0cd"
    assert decode("a\0b\x01é".encode("utf-16")).text == "abé"


@pytest.mark.parametrize("text", ["Put it to work — now", "“It’s here…” – they said", "© 2020 Co."])
def test_marks_without_letters_are_windows_marks(text: str) -> None:
    result = decode(page(text.encode("cp1252")))
    assert text in result.text
    assert result.encoding == "windows-1252"


def test_the_declared_language_decides_between_readings_that_look_alike() -> None:
    word = "duński".encode("cp1250")
    assert "duński" in decode(b"<html lang='pl-PL'><p>" + word).text
    assert "duñski" in decode(b"<html lang=es><p>" + word).text
