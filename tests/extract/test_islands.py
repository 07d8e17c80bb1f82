"""Text that stands only in a page's data, in the forms in which frameworks send it."""

# ruff: noqa: E501, RUF001 - data that reads best in one line; full-width signs are meant

from __future__ import annotations

import json
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extract.hydration import assigned, flight, indexed
from extract.islands import Island, islands
from extract.json_prose import as_html, find, is_prose
from extract.richtext import is_rich_text, render
from extract.tree import parse, visible_text

ONE = (
    "The river rises in the hills above the town, and for most of the year it is no wider than "
    "a road; in spring it takes the lower fields, and the farmers wait for it to leave again. "
)
TWO = (
    "Nobody remembers who built the bridge that crosses it, but everybody has an opinion about "
    "the toll, which has not changed since the days when the mill was still at work upstream. "
)


def page(*parts: str) -> list[Island]:
    return islands(parse("<html><body><div id=root></div>" + "".join(parts) + "</body></html>"))


def script(value: object, attributes: str = "type=application/json") -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return f"<script {attributes}>{text}</script>"


def said(found: list[Island]) -> str:
    return visible_text(parse(found[0].html)) if found else ""


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.just(ONE),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(
        st.sampled_from(["type", "nodeType", "_type", "children", "content", "text", "marks",
                         "data", "attrs", "level", "blocks", "$", "props", "articleBody",
                         "@type", "tag", "listItem", "markDefs", "format"]),
        inner | st.sampled_from(["paragraph", "doc", "block", "Question", "h2", "heading"]),
        max_size=5),
)  # fmt: skip


@given(JSON)
def test_no_data_raises(value: object) -> None:
    text = json.dumps(value)
    push = f"self.__next_f.push([1,{json.dumps('0:' + text)}])"
    page(
        script(text), script(text, "type=application/ld+json"), script(f"x = {text};", ""),
        script(text, "type=application/json id=__NUXT_DATA__"), script(push, ""),
        f"<div data-x='{escape(text)}'></div>",
    )  # fmt: skip
    render(value)
    render(["$", "p", None, {"children": value}])


@given(st.text(st.sampled_from('[]{}":,0123456789abcdefT$L\\nu\n ')))
def test_no_script_raises(text: str) -> None:
    flight([f"self.__next_f.push([1,{json.dumps(text)}])", f"self.__next_f.push({text})"])
    list(assigned(f'x = {{"{text} JSON.parse(\'{text}\') decodeURIComponent("{text}")' * 20))


def test_a_page_without_data_has_no_islands() -> None:
    assert page() == []
    assert page("<p>" + ONE, script({"a": "short"}), script("var x = 1;", "")) == []


def test_an_article_body_is_found_and_its_lines_are_paragraphs() -> None:
    item = {"@type": "NewsArticle", "articleBody": f"{ONE}\n\n{TWO} <3"}
    (island,) = page(script(item, "type=application/ld+json"))
    assert island == Island("json-ld", f"<p>{ONE.strip()}</p><p>{TWO} &lt;3</p>")


def test_questions_come_with_their_answers() -> None:
    item = {
        "@type": "QAPage",
        "mainEntity": {
            "@type": "Question", "name": "Where does it rise?", "text": "I wonder.",
            "acceptedAnswer": {"@type": "Answer", "text": f"<p>{ONE}</p>"},
            "suggestedAnswer": [{"@type": "Answer", "text": TWO}],
        },
    }  # fmt: skip
    found = page(script(item, "type=application/ld+json"))
    assert said(found) == f"Where does it rise? I wonder. {ONE}{TWO}".strip()


@pytest.mark.parametrize(
    "parts",
    [
        (script({"props": {"pageProps": {"post": {"title": "T", "body": f"<p>{ONE}</p>{TWO}"}}}},
                "id=__NEXT_DATA__ type=application/json"),),
        (script('window.__STATE__ = {"post": ' + json.dumps({"text": f"{ONE}\n\n{TWO}"}) + "};", ""),),
        (script("var a = 1; load(" + json.dumps({"article": {"html": f"<p>{ONE}<p>{TWO}"}}) + ")", ""),),
        (script("S = JSON.parse(" + json.dumps(json.dumps({"content": f"{ONE}\n\n{TWO}"})) + ")", ""),),
        (script([{"data": 1}, {"body": 2}, f"{ONE}\n\n{TWO}"], "type=application/json id=__NUXT_DATA__"),),
        (f"<div data-page=\"{escape(json.dumps({'body': [ONE, TWO], 'x': 'y' * 700}))}\"></div>",),
        (script({"body": json.dumps({"blocks": [{"type": "paragraph", "text": ONE},
                                                {"type": "paragraph", "text": TWO}]})}),),
        (script({"footer": {"text": TWO * 3}, "i18n": {"terms": ONE * 9}, "text": f"{ONE}\n\n{TWO}"}),),
        (script(f"<div><p>{ONE}</p><p>{TWO}</p></div>", "type=text/template"),),
        (f"<template><p>{ONE}</p><p>{TWO}</p></template>",),
        (f"<textarea><p>{ONE}</p><p>{TWO}</p></textarea>",),
    ],
    ids=["next", "assigned", "passed", "parsed", "nuxt", "attribute", "nested", "keys", "script",
         "template", "textarea"],
)  # fmt: skip
def test_the_text_of_the_page_is_the_first_island(parts: tuple[str, ...]) -> None:
    assert said(page(*parts)) == f"{ONE}{TWO}".strip()


def test_the_posts_of_a_thread_come_together_and_in_order() -> None:
    posts = [{"id": 1, "cooked": f"<p>{ONE}</p>"}, {"id": 2, "cooked": f"<p>{TWO}</p>"}]
    topic = {"topic_12": json.dumps({"post_stream": {"posts": posts}}),
             "site": json.dumps({"categories": [{"topic_template": ONE * 30}]})}  # fmt: skip
    found = page(f'<div data-preloaded="{escape(json.dumps(topic))}"></div>')
    assert found[0] == Island("preloaded", f"<div><p>{ONE}</p></div><div><p>{TWO}</p></div>")


def test_flight_data_is_what_the_server_rendered() -> None:
    rows = (
        f'1:I["chunk"]\n2:T{len(ONE.encode()):x},{ONE}'
        '3:["$","h1",null,{"children":"The ri\u0301ver"}]\n'
        '0:{"P":null,"f":[["$","main",null,{"className":"m","children":["$3",["$","$L1",null,'
        '{"notFound":["$","p",null,{"children":"404"}],"slot":["$","p",null,{"children":"$2"}]}],'
        '["$","script",null,{"children":"no()"}],["$","a",null,{"href":"/x","children":"more"}]]}]]}\n'
    )
    halves = rows[:40], rows[40:]
    found = page(*(script(f"self.__next_f.push([1,{json.dumps(half)}])", "") for half in halves))
    assert found[0].source == "flight"
    assert found[0].html == (
        f'<main class="m"><h1>The ri\u0301ver</h1><p>{ONE}</p><a href="/x">more</a></main>'
    )


def test_nuxts_array_is_put_together_by_its_places() -> None:
    flat = [["Reactive", 1], {"a": 2, "b": 3}, "x", [4, 1], {"c": 9}]
    assert indexed([["Reactive", 1], {"a": 2, "b": 3}, "x", [4], {"c": 2}]) == {
        "a": "x", "b": [{"c": "x"}],
    }  # fmt: skip
    assert isinstance(indexed(flat), dict)  # holds itself
    assert indexed("x") == "x"


PARAGRAPHS = "<p>One <strong>two</strong></p>"
RICH = {
    "contentful": (
        {"nodeType": "document", "content": [
            {"nodeType": "heading-2", "content": [{"nodeType": "text", "value": "A & B"}]},
            {"nodeType": "paragraph", "content": [
                {"nodeType": "text", "value": "One "},
                {"nodeType": "text", "value": "two", "marks": [{"type": "bold"}]}]},
            {"nodeType": "unordered-list", "content": [{"nodeType": "list-item", "content": [
                {"nodeType": "hyperlink", "data": {"uri": "/x"},
                 "content": [{"nodeType": "text", "value": "link"}]}]}]},
            {"nodeType": "hr", "content": []}]},
        '<h2>A &amp; B</h2><p>One <strong>two</strong></p><ul><li><a href="/x">link</a></li></ul><hr>',
    ),
    "portable text": (
        [{"_type": "block", "style": "h2", "children": [{"_type": "span", "text": "A"}]},
         {"_type": "block", "style": "normal", "markDefs": [
             {"_type": "link", "_key": "k", "href": "/x"}], "children": [
             {"_type": "span", "text": "One "}, {"_type": "span", "text": "two", "marks": ["k", "em"]}]},
         {"_type": "block", "listItem": "number", "children": [{"_type": "span", "text": "i"}]},
         {"_type": "block", "listItem": "number", "children": [{"_type": "span", "text": "ii"}]},
         {"_type": "code", "language": "py", "code": "a < b"}],
        ('<h2>A</h2><p>One <a href="/x"><em>two</em></a></p><ol><li>i</li><li>ii</li></ol>'
        '<pre><code class="language-py">a &lt; b</code></pre>'),
    ),
    "prosemirror": (
        {"type": "doc", "content": [
            {"type": "heading", "attrs": {"level": 3}, "content": [{"type": "text", "text": "A"}]},
            {"type": "paragraph", "content": [
                {"type": "text", "text": "One"}, {"type": "hardBreak"},
                {"type": "text", "text": "two", "marks": [{"type": "link", "attrs": {"href": "/x"}}]}]},
            {"type": "bulletList", "content": [{"type": "listItem", "content": [
                {"type": "paragraph", "content": [{"type": "text", "text": "i"}]}]}]}]},
        '<h3>A</h3><p>One<br><a href="/x">two</a></p><ul><li><p>i</p></li></ul>',
    ),
    "slate": (
        [{"type": "paragraph", "children": [{"text": "One "}, {"text": "two", "bold": True}]}],
        "<p>One <strong>two</strong></p>",
    ),
    "lexical": (
        {"root": {"type": "root", "children": [
            {"type": "heading", "tag": "h2", "children": [{"type": "text", "text": "A"}]},
            {"type": "paragraph", "children": [{"type": "text", "text": "two", "format": 1}]},
            {"type": "list", "listType": "number", "children": [
                {"type": "listitem", "children": [{"type": "text", "text": "i"}]}]}]}},
        "<h2>A</h2><p><strong>two</strong></p><ol><li>i</li></ol>",
    ),
    "draft": (
        {"entityMap": {}, "blocks": [
            {"type": "header-two", "text": "A", "inlineStyleRanges": []},
            {"type": "unstyled", "text": "One < two"},
            {"type": "unordered-list-item", "text": "i"},
            {"type": "unordered-list-item", "text": "ii"},
            {"type": "code-block", "text": "x"}]},
        ("<h2>A</h2><p>One &lt; two</p><ul><li>i</li><li>ii</li></ul>"
        '<pre><code class="language-">x</code></pre>'),
    ),
    "editor.js": (
        {"blocks": [{"type": "header", "data": {"text": "A", "level": 3}},
                    {"type": "paragraph", "data": {"text": "One <b>two</b>"}},
                    {"type": "list", "data": {"style": "ordered", "items": ["i", "ii"]}}]},
        "<h3>A</h3><p>One <b>two</b></p><ol><li>i</li><li>ii</li></ol>",
    ),
    "hast": (
        {"type": "root", "children": [
            {"type": "element", "tagName": "p", "children": [{"type": "text", "value": "One"}]},
            {"type": "element", "tagName": "script", "children": [{"type": "text", "value": "no"}]}]},
        "<p>One</p>",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("value", "html"), RICH.values(), ids=RICH)
def test_rich_text_keeps_its_structure(value: object, html: str) -> None:
    inner = value.get("root", value) if isinstance(value, dict) else value
    assert is_rich_text(inner)
    assert render(value) == html


@pytest.mark.parametrize(
    "value",
    [None, "x", [], {}, [1, 2], ["a", {"type": "paragraph"}], {"type": "doc"},
     [{"type": "image", "url": "x"}], {"items": [{"name": "a", "price": 1}]}],
    ids=str,
)  # fmt: skip
def test_other_data_is_no_rich_text(value: object) -> None:
    assert not is_rich_text(value)


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        (ONE, True),
        (f"<p>{ONE}</p>", True),
        ("河流发源于镇子上方的山丘，一年中大部分时间都不比一条路宽；春天它会淹没低处的田地，农民们等着它再次离开。" * 2, True),
        (ONE[:100], False),
        ("M10.7 15.8H8.6L7.1 9.7C7.0 9.5 6.9 9.2 6.7 9.1 " * 9, False),
        ("function a(b) { return b === 1 ? c[b] : d; } var x = {y: 1}; " * 9, False),
        ("a1b2c3d4e5f6a7b8c9d0" * 30, False),
        ("https://example.org/a/b?c=d&e=f https://example.org/g " * 9, False),
    ],
    ids=lambda value: str(value)[:20],
)  # fmt: skip
def test_prose_is_told_from_code_and_data(text: str, prose: bool) -> None:
    assert is_prose(text) is prose


def test_plain_text_becomes_markup() -> None:
    text = "# A\n\nOne <b>\ntwo\n\n- i\n- ii\n\n```py\na < b\n```"
    assert as_html(text) == (
        "<h1>A</h1><p>One &lt;b&gt;<br>two</p><ul><li>i</li><li>ii</li></ul>"
        '<pre><code class="language-py">a &lt; b\n</code></pre>'
    )
    assert as_html("&lt;p&gt;A&lt;/p&gt;") == "<p>A</p>"


def test_what_is_too_large_or_too_deep_is_left_out() -> None:
    deep: object = ONE
    for _ in range(300):
        deep = {"type": "paragraph", "children": [deep]}
    assert find(deep) == []
    assert page(script('{"text": "' + ONE * 60_000 + '"}')) == []
    assert render(["x"] * 100_000).count("x") < 60_000


def test_templates_in_templates_are_read_once() -> None:
    found = page("<template>" * 1500 + f"<p>{ONE}</p>")
    assert [island.source for island in found] == ["template"]
    assert said(found) == ""  # what stands in a template is not shown, before as after
    assert visible_text(parse(found[0].html.replace("template", "div"))) == ONE.strip()
