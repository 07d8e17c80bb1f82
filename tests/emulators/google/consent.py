"""The consent wall: as a redirect to a page with forms, and as an overlay on the results.

Both work: refusing or accepting sets `SOCS`, and whoever carries it is let through.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from urllib.parse import quote, urlsplit

from tests.emulators.google.filler import script
from tests.emulators.messages import Request, Response, html, redirect

REFUSED = "CAISHAgBEhJnd3NfMjAyNjExMTctMF9SQzEaAmVuIAEaBgiA"
ACCEPTED = "CAESHAgBEhJnd3NfMjAyNjExMTctMF9SQzEaAmVuIAEaBgiA"
COOKIE_ATTRIBUTES = "Path=/; Max-Age=34128000; SameSite=Lax"
OTHER_HOST = "consent.localhost"
LOOP_MARK = "loop"


@dataclass(frozen=True, slots=True)
class Words:
    lang: str
    title: str
    text: str
    refuse: str
    accept: str
    more: str


ENGLISH = Words(
    "en",
    "Before you continue to Google Search",
    "We use cookies and data to deliver and maintain services, track "
    "outages and measure engagement.",
    "Reject all",
    "Accept all",
    "More options",
)
JAPANESE = Words(
    "ja",
    "検索を続ける前に",
    "サービスの提供と維持のために、次の情報を使用します。",
    "すべて拒否",
    "すべて同意",
    "その他の設定",
)


def given(request: Request) -> bool:
    """Whether the client carries a decision."""
    return bool(request.cookies.get("SOCS"))


def wall(request: Request, *, lang: str = "en", loop: bool = False, host: str = "") -> Response:
    """The redirect that a search gets."""
    origin = request.origin
    if host:
        port = urlsplit(origin).port
        origin = f"{request.scheme}://{host}:{port}"
    target = quote(request.origin + request.target, safe="")
    bl = LOOP_MARK if loop else "boq_identityfrontenduiserver_20261117.08_p0"
    return redirect(f"{origin}/ml?continue={target}&gl=FR&hl={lang}&cm=2&pc=srp&src=1&bl={bl}")


def page(request: Request) -> Response:
    """The page it leads to: one form refuses, one accepts."""
    words = JAPANESE if request.query.get("hl") == JAPANESE.lang else ENGLISH
    forms = _form(request, words, words.refuse, refuse=True) + _form(
        request, words, words.accept, refuse=False
    )
    return html(
        f'<!doctype html><html lang="{words.lang}"><head><meta charset="utf-8">'
        f"<title>{words.title}</title></head><body><div><h1>{words.title}</h1><p>{words.text}</p>"
        f'<div class="saveButtonContainer">{forms}<a href="/d?continue=x">{words.more}</a></div>'
        f'<form action="{request.origin}/ml" method="GET"><select name="hl"><option>{words.lang}'
        "</option></select></form></div></body></html>"
    )


def save(request: Request) -> Response:
    """The forms' answer: sets `SOCS` and goes back to the search."""
    form = request.form
    target = form.get("continue", "/")
    if form.get("bl") == LOOP_MARK:
        return redirect(target, 303)
    value = REFUSED if form.get("set_eom") == "true" else ACCEPTED
    there, here = urlsplit(target).netloc, request.headers.get("host", "")
    if there and there != here:
        hop = f"{request.scheme}://{there}/setsocs?v={value}&continue={quote(target, safe='')}"
        return redirect(hop, 303, _cookie(value))
    return redirect(target, 303, _cookie(value))


def set_here(request: Request) -> Response:
    """The hop that sets the cookie on the search's own host; `Domain=` cannot, on loopback."""
    value = request.query.get("v", REFUSED)
    return redirect(request.query.get("continue", "/"), 303, _cookie(value))


def overlay(words: Words = ENGLISH, *, reloads: bool = False, works: bool = True) -> str:
    """A dialog over the page with its two buttons.

    With `reloads` a decision loads the page again, since it holds no results yet; without `works`
    the buttons do nothing.
    """
    done = "location.reload();" if reloads else 'document.getElementById("cnsntdlg").remove();'
    code = (
        'function d(v){document.cookie="SOCS="+v+"; path=/; max-age=34128000";' + done + "}"
        f'document.getElementById("W0wltc").onclick=function(){{d("{REFUSED}")}};'
        f'document.getElementById("L2AGLb").onclick=function(){{d("{ACCEPTED}")}};'
    )
    return (
        '<div id="cnsntdlg" style="position:fixed;inset:0;z-index:9999;background:#fff">'
        '<div role="dialog" aria-modal="true" aria-labelledby="cnsnttl">'
        f'<h1 id="cnsnttl">{words.title}</h1><div>{words.text}</div><div class="spoKVd">'
        f'<button id="W0wltc" class="tHlp8d"><div role="none">{words.refuse}</div></button>'
        f'<button id="L2AGLb" class="tHlp8d"><div role="none">{words.accept}</div></button></div>'
        f'<a href="/ml/more">{words.more}</a></div></div>'
        + (script("(function(){" + code + "})();") if works else "")
    )


def _form(request: Request, words: Words, label: str, *, refuse: bool) -> str:
    query = request.query
    hidden = {
        "bl": query.get("bl", ""),
        "x": "8",
        "gl": query.get("gl", ""),
        "m": "0",
        "app": "0",
        "pc": query.get("pc", ""),
        "continue": query.get("continue", ""),
        "hl": words.lang,
        "uxe": "none",
        "cm": query.get("cm", ""),
        "set_eom": "true" if refuse else "false",
    }
    if not refuse:
        hidden |= {"set_sc": "true", "set_aps": "true"}
    inputs = "".join(
        f'<input type="hidden" name="{name}" value="{escape(value)}">'
        for name, value in hidden.items()
    )
    return (
        f'<form action="{request.origin}/save" method="POST" style="display:inline;">{inputs}'
        f'<div class="lssxud"><button class="UywwFc-LgbsSe" aria-label="{label}">'
        f"<span>{label}</span></button></div></form>"
    )


def _cookie(value: str) -> tuple[str, str]:
    return "Set-Cookie", f"SOCS={value}; {COOKIE_ATTRIBUTES}"
