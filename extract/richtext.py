"""Trees of rich text, as content systems store them in JSON, as HTML.

One renderer for all of them, because they agree on the shape: a node has a type, text or children,
and marks. Contentful (`nodeType`, `value`), Sanity's Portable Text (`_type`, `style`, `markDefs`),
ProseMirror and Tiptap (`attrs`), Slate, Lexical (`format` bits), Draft.js (`blocks` with ranges),
Editor.js (`data`), hast (`tagName`) and React elements (`["$", tag, key, props]`) are read. What
is of no known type gives its children.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from extract.json_data import string

if TYPE_CHECKING:
    from collections.abc import Iterator

    from extract.json_data import Json

_TYPE_KEYS = ("nodeType", "_type", "tagName", "tag", "type", "__typename", "name")
_CHILD_KEYS = (
    "children",
    "content",
    "nodes",
    "blocks",
    "items",
    "elements",
    "body",
    "root",
    "document",
)
_TEXT_KEYS = ("text", "value", "code", "caption", "message")

_TAGS = {
    "paragraph": "p", "p": "p", "unstyled": "p", "normal": "p", "text": "", "span": "",
    "blockquote": "blockquote", "quote": "blockquote", "pullquote": "blockquote",
    "unorderedlist": "ul", "bulletlist": "ul", "bulletedlist": "ul", "ul": "ul",
    "orderedlist": "ol", "numberedlist": "ol", "ol": "ol", "list": "ul",
    "listitem": "li", "li": "li", "unorderedlistitem": "li", "orderedlistitem": "li",
    "bulletedlistitem": "li", "listitemchild": "", "lic": "",
    "code": "pre", "codeblock": "pre", "pre": "pre", "fence": "pre", "inlinecode": "code",
    "table": "table", "tablerow": "tr", "tr": "tr", "tablecell": "td", "td": "td",
    "tableheader": "th", "tableheadercell": "th", "th": "th", "tbody": "tbody", "thead": "thead",
    "link": "a", "hyperlink": "a", "a": "a", "hardbreak": "br", "linebreak": "br", "br": "br",
    "horizontalrule": "hr", "hr": "hr", "thematicbreak": "hr", "delimiter": "hr", "divider": "hr",
    "strong": "strong", "b": "strong", "em": "em", "i": "em", "dl": "dl", "dt": "dt", "dd": "dd",
    "div": "div", "section": "section", "article": "article", "headertitle": "h2",
    "header": "h2", "heading": "h2", "title": "h2", "subtitle": "h3", "subheading": "h3",
    "headerone": "h1", "headertwo": "h2", "headerthree": "h3", "headerfour": "h4",
}  # fmt: skip
_TAGS |= {name + str(level): f"h{level}" for level in range(1, 7) for name in ("h", "heading")}
_HTML_TAGS = frozenset(_TAGS.values()) | {
    "aside", "main", "nav", "footer", "header", "figure", "figcaption", "form", "label", "button",
    "time", "details", "summary", "sub", "sup", "title",
}  # fmt: skip
_ROOTS = frozenset({"doc", "document", "root", "block", "richtext"})
_SILENT = frozenset({"script", "style", "svg", "image", "img", "noscript", "comment", "iframe"})
_MARKS = {
    "bold": "strong", "strong": "strong", "italic": "em", "em": "em", "emphasis": "em",
    "code": "code", "superscript": "sup", "subscript": "sub", "strike": "s",
}  # fmt: skip
_LEXICAL_BITS = ((1, "strong"), (2, "em"), (16, "code"))
_VOID = frozenset({"br", "hr"})
_INLINE = frozenset({"a", "code", "strong", "em", ""})
_NOISE = re.compile(r"[^a-z0-9]")
_CODE = re.compile(r"[{};]")
_OTHER_STATES = frozenset({"notFound", "forbidden", "unauthorized", "error", "loading"})
"""Properties of Next.js' components that hold what is shown instead of the page."""
_ELEMENT_PARTS = 4
_FIRST = 3
_MOST_NODES = 50_000
_DEEPEST = 150
"""Rich text of people is a dozen deep; the renderer calls itself."""


def is_rich_text(value: Json) -> bool:
    """Whether `value` is a tree of rich text, or a list of its blocks."""
    if isinstance(value, dict):
        blocks = _children(value)
        return isinstance(blocks, list) and _kind(value) in _ROOTS | {""} and _are_blocks(blocks)
    return isinstance(value, list) and bool(value) and _are_blocks(value)


def render(value: Json) -> str:
    """The HTML of a tree of rich text or React elements; white space where nothing is in it."""
    return "".join(_Renderer().render(value, 0))


def render_elements(value: Json) -> str:
    """The HTML of the React elements anywhere in `value`, in order."""
    return "".join(_Renderer().inside(value, 0))


def _are_blocks(blocks: list[Json]) -> bool:
    if not any(isinstance(block, dict) for block in blocks[:_FIRST]):
        return False
    known = [block for block in blocks if isinstance(block, dict) and _is_block(block)]
    return bool(known) and 2 * len(known) >= len(blocks)


def _is_block(block: dict[str, Json]) -> bool:
    kind = _kind(block)
    has_text = isinstance(_children(block), list) or isinstance(block.get("data"), dict)
    return (kind in _TAGS or kind in {"block", "element"}) and (
        has_text or isinstance(block.get("text"), str)
    )


def _kind(node: dict[str, Json]) -> str:
    for key in _TYPE_KEYS:
        kind = node.get(key)
        if isinstance(kind, str):
            squeezed = _NOISE.sub("", kind.lower())
            if squeezed not in {"element", "tag"}:
                return squeezed
    return ""


def _children(node: dict[str, Json]) -> Json:
    return next((node[key] for key in _CHILD_KEYS if isinstance(node.get(key), list | dict)), None)


class _Renderer:
    def __init__(self) -> None:
        self._left = _MOST_NODES
        self._links: dict[str, str] = {}
        """Targets by the key that Portable Text marks their text with."""

    def render(self, value: Json, depth: int) -> Iterator[str]:
        self._left -= 1
        if self._left < 0 or depth > _DEEPEST:
            return
        if isinstance(value, str):
            yield escape(value, quote=False) if value != "$undefined" else ""
        elif isinstance(value, list) and _is_element(value):
            yield from self._element(value, depth)
        elif isinstance(value, list):
            yield from self._list(value, depth)
        elif isinstance(value, dict):
            yield from self._node(value, depth)

    def inside(self, value: Json, depth: int) -> Iterator[str]:
        """Renders the elements in `value`, and nothing else of it."""
        self._left -= 1
        if self._left < 0 or depth > _DEEPEST:
            return
        if isinstance(value, list) and _is_element(value):
            yield from self._element(value, depth)
        elif isinstance(value, list | dict):
            named = value.items() if isinstance(value, dict) else (("", one) for one in value)
            for name, inner in named:
                if name not in _OTHER_STATES:
                    yield from self.inside(inner, depth + 1)

    def _list(self, nodes: list[Json], depth: int) -> Iterator[str]:
        """A list of nodes, list items without a list around them put into one."""
        open_list = ""
        for node in nodes:
            wanted = _loose_list(node)
            if wanted != open_list:
                yield (f"</{open_list}>" if open_list else "") + (f"<{wanted}>" if wanted else "")
                open_list = wanted
            yield from self.render(node, depth + 1)
        if open_list:
            yield f"</{open_list}>"

    def _node(self, node: dict[str, Json], depth: int) -> Iterator[str]:
        kind = _kind(node)
        if kind in _SILENT:
            return
        tag = _tag(node, kind)
        definitions = node.get("markDefs")
        for mark in definitions if isinstance(definitions, list) else []:
            if isinstance(mark, dict):
                self._links[string(mark.get("_key"))] = _target(mark)
        data = node.get("data")
        if kind not in _ROOTS and isinstance(data, dict) and not node.get("content"):
            node = {**data, **node}
        start, end = _around(tag, node)
        yield start
        if tag not in _VOID:
            yield from self._content(node, tag, depth)
            yield end

    def _content(self, node: dict[str, Json], tag: str, depth: int) -> Iterator[str]:
        children = _children(node)
        text = next((node[key] for key in _TEXT_KEYS if isinstance(node.get(key), str)), None)
        if isinstance(children, list | dict) and children:
            yield from self._children_of(children, tag, depth)
        elif isinstance(text, str):
            # Editor.js keeps inline HTML in the text of its blocks.
            inline = "data" in node and tag not in {"pre", "code"}
            yield from self._marked(text if inline else escape(text, quote=False), node)
        elif isinstance(node.get("html"), str):
            yield string(node["html"])
        else:
            yield escape(string(node.get("content")), quote=False)

    def _children_of(self, children: Json, tag: str, depth: int) -> Iterator[str]:
        if tag in {"ul", "ol"} and isinstance(children, list):
            for child in children:
                item = isinstance(child, dict) and _tag(child, _kind(child)) == "li"
                yield "" if item else "<li>"
                yield from self.render(child, depth + 1)
                yield "" if item else "</li>"
        else:
            yield from self.render(children, depth + 1)

    def _marked(self, text: str, node: dict[str, Json]) -> Iterator[str]:
        tags = [_MARKS[name] for name in ("bold", "italic", "code") if node.get(name) is True]
        bits, marks = node.get("format"), node.get("marks")
        if isinstance(bits, int):
            tags += [tag for bit, tag in _LEXICAL_BITS if bits & bit]
        href = ""
        for mark in marks if isinstance(marks, list) else []:
            name = mark if isinstance(mark, str) else string(_get(mark, "type"))
            href = self._links.get(name, "") or (_target(mark) if name == "link" else "") or href
            tags += [_MARKS[name]] if name in _MARKS else []
        yield f'<a href="{escape(href)}">' if href else ""
        yield "".join(f"<{tag}>" for tag in tags)
        yield text
        yield "".join(f"</{tag}>" for tag in reversed(tags))
        yield "</a>" if href else ""

    def _element(self, element: list[Json], depth: int) -> Iterator[str]:
        kind, props = string(element[1]), element[3]
        if not isinstance(props, dict) or kind in _SILENT:
            return
        if kind.startswith("$"):  # a component: what it was given, in any of its properties
            text = string(props.get("children"))
            if not text.startswith("$") and not _CODE.search(text):
                yield escape(text, quote=False)
            yield from self.inside(props, depth + 1)
            return
        raw = props.get("dangerouslySetInnerHTML")
        if isinstance(raw, dict):
            yield string(raw.get("__html"))
            return
        tag = kind if kind in _HTML_TAGS else ""
        start, end = _around(tag, props)
        names = props.get("className")
        if tag and isinstance(names, str) and tag not in {"a", "pre"}:
            start = f'<{tag} class="{escape(names)}">'
        yield start
        if tag not in _VOID:
            yield from self.render(props.get("children"), depth + 1)
            yield end


def _is_element(value: list[Json]) -> bool:
    return len(value) >= _ELEMENT_PARTS and value[0] == "$" and isinstance(value[1], str)


def _loose_list(node: Json) -> str:
    if not isinstance(node, dict):
        return ""
    if isinstance(node.get("listItem"), str):
        return "ol" if node["listItem"] == "number" else "ul"
    kind = _kind(node)
    return {"unorderedlistitem": "ul", "bulletedlistitem": "ul", "orderedlistitem": "ol"}.get(
        kind, ""
    )


def _tag(node: dict[str, Json], kind: str) -> str:
    attributes = next(
        (node[key] for key in ("attrs", "data") if isinstance(node.get(key), dict)), {}
    )
    level = node.get("level") or node.get("depth")
    if isinstance(attributes, dict):
        level = attributes.get("level") or level
        if attributes.get("style") == "ordered":
            return "ol"
    if isinstance(node.get("listItem"), str):
        return "li"
    if kind == "block":  # Portable Text: the style says what it is
        return _TAGS.get(_NOISE.sub("", string(node.get("style")).lower()), "p")
    if kind in {"heading", "header"} and isinstance(level, int) and 1 <= level <= 6:  # noqa: PLR2004 - h1 to h6
        return f"h{level}"
    if kind in {"heading", "list", "listitem"}:
        named = _TAGS.get(string(node.get("tag")), "")
        ordered = node.get("listType") == "number" or node.get("ordered") is True
        return named or ("ol" if ordered and kind == "list" else _TAGS[kind])
    return _TAGS.get(kind, "")


def _around(tag: str, node: dict[str, Json]) -> tuple[str, str]:
    if not tag:
        return "", ""
    if tag == "a":
        return f'<a href="{escape(_target(node))}">', "</a>"
    if tag == "pre":
        language = escape(string(node.get("language") or node.get("lang")))
        return f'<pre><code class="language-{language}">', "</code></pre>"
    return f"<{tag}>", "" if tag in _VOID else f"</{tag}>"


def _get(node: Json, key: str) -> Json:
    return node.get(key) if isinstance(node, dict) else None


def _target(node: Json) -> str:
    places = (
        node,
        *(_get(node, key) for key in ("data", "attrs", "fields", "properties", "props")),
    )
    for place in places:
        if isinstance(place, dict):
            for key in ("href", "url", "uri"):
                if isinstance(place.get(key), str):
                    return string(place[key])
    return ""
