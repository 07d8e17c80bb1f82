"""What the markup itself keeps from being seen, and what it only keeps folded.

Text that no reader of the page would see must not reach the reader of the Markdown: it is where
instructions to machines are hidden. But pages also hide what a click unfolds or what their script
shows at once, and that is content.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_HIDING = re.compile(
    r"""
      display\s*:\s*none
    | visibility\s*:\s*(?:hidden|collapse)
    | (?<![-\w])font-size\s*:\s*0*(?:[0-2](?:\.\d+)?|\.\d+)(?:px|pt)?\s*(?:!|;|\Z)
    | (?<![-\w])font-size\s*:\s*(?:0*(?:\.[01]\d*)?(?:em|rem)|\d(?:\.\d+)?%)\s*(?:!|;|\Z)
    | (?<![-\w])(?:left|right|top|text-indent|margin-left|margin-top)\s*:\s*-\d{3,}
    | clip\s*:\s*rect\(\s*(?:0|1px)[\s,]
    | clip-path\s*:\s*(?:inset\(\s*(?:50|100)%|circle\(\s*0)
    | (?<![-\w])(?:max-)?(?:height|width)\s*:\s*[01](?:px)?\s*(?:!|;|\Z)(?=.*overflow)
    | overflow\s*:\s*hidden.*(?<![-\w])(?:max-)?(?:height|width)\s*:\s*[01](?:px)?\s*(?:!|;|\Z)
    | transform\s*:[^;]*translate[XY3d]*\([^)]*-\d{4}
    | (?<![-\w])font\s*:\s*0(?:px)?[\s/]
    | -webkit-text-fill-color\s*:\s*transparent(?!.*background-clip)
    | transform\s*:[^;]*scale\(\s*0(?:\.0+)?\s*\)
    | filter\s*:\s*opacity\(\s*0(?:\.0+)?%?\s*\)
    """,
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_FADED = re.compile(r"(?<![-\w])opacity\s*:\s*(?:0*\.?0+[1-9]?%?)\s*(?:!|;|\Z)", re.IGNORECASE)
_FADING_IN = re.compile(r"transform|transition|animation|will-change", re.IGNORECASE)
"""Beside no opacity: the page's script shows the element when it is scrolled to."""
_SUSPECT = re.compile(
    r"none|hidden|:\s*[0-2.]|-\d{3}|clip|scale|collapse|color|filter", re.IGNORECASE
)
_COLOR = re.compile(r"(?<![-\w])color\s*:\s*([^;!]+)", re.IGNORECASE)
_GROUND = re.compile(r"(?<![-\w])background(?:-color)?\s*:\s*([^;!]+)", re.IGNORECASE)
_WHITE = frozenset({"#fff", "#ffffff", "white", "rgb(255,255,255)"})
_CLEAR = re.compile(
    r"transparent|#[\da-f]{3}0|#[\da-f]{6}00|(?:rgb|hsl)a?\((?:[^,]+,){3}0*\.?0*%?\)"
    r"|(?:rgb|hsl)a?\([^/]+/0*\.?0*%?\)"
)
"""A colour, without spaces, that lets everything through."""
_FILLED = re.compile(r"background-clip\s*:\s*text", re.IGNORECASE)
"""Clear text through which its ground is seen: a gradient."""

_FOLDED = re.compile(
    r"(?:^|[\s_-])(?:tab|tabs|tab-?panel|tab-?pane|tab-?content|accordion|collaps\w*|faqs?|answer"
    r"|panel|pane|expand\w*|read-?more|spoiler|toggle\w*)(?:$|[\s_-])",
    re.IGNORECASE,
)
_STREAMED = ("S:", "P:")
"""How React names the parts of a page that it sends hidden and moves to their place."""


def hides(attributes: Mapping[str, str]) -> bool:
    """Whether an element with these attributes is not shown."""
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return True
    style = attributes.get("style")
    return style is not None and _SUSPECT.search(style) is not None and style_hides(style)


def hides_block(attributes: Mapping[str, str]) -> bool:
    """As `hides`, but what a click or the page's own script brings to light counts as shown."""
    if attributes.get("aria-hidden") == "true" or hides(attributes):
        return not (
            attributes.get("id", "").startswith(_STREAMED)
            or attributes.get("role") == "tabpanel"
            or _FOLDED.search(attributes.get("class", "")) is not None
        )
    return False


def style_hides(style: str) -> bool:
    """Whether a `style` makes text invisible, unreadably small or of its ground's colour."""
    if _HIDING.search(style) is not None:
        return True
    if _FADED.search(style) is not None and _FADING_IN.search(style) is None:
        return True
    color = _COLOR.search(style)
    if color is None:
        return False
    ours = _plain(color.group(1))
    if _CLEAR.fullmatch(ours) is not None:
        return _FILLED.search(style) is None
    ground = _GROUND.search(style)
    theirs = _plain(ground.group(1)) if ground is not None else ""
    return ours == theirs or (ours in _WHITE and theirs in _WHITE)


def _plain(color: str) -> str:
    return "".join(color.split()).lower()
