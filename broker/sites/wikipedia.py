"""Articles of Wikipedia and its sister wikis, in any language: one request each.

MediaWiki's REST interface gives an article as the HTML of its own parser, with the title and the
date of the last change, and leads redirects on; `action=parse` gives neither date nor one markup on
all wikis, and the older `/api/rest_v1/` is being closed. Special pages, files and categories are
what their pages make of them, and are read as any page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, unquote

from broker.errors import SiteFailed
from broker.providers.answers import number_of, record, text_of
from broker.sites.base import Get, Piece, got
from broker.sites.replies import AGENT, object_in
from broker.sites.wikipedia_page import Article, article

if TYPE_CHECKING:
    from broker.sites.base import Conversation, Visit

_WHO = "the wiki's interface"
_REVISION = re.compile(r"\d{1,18}", re.ASCII)
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{2,8}){0,3}", re.ASCII)
_VARIANT = re.compile(r"([a-z]{2,3})-[a-z]{2,8}")
_WIKIS = ("wikipedia", "wiktionary", "wikivoyage", "wikibooks", "wikiquote", "wikiversity",
          "wikinews", "wikisource")  # fmt: skip
_OTHERS = re.compile(
    r"(?:special|spezial|spécial|especial|speciale|speciaal|служебная|特殊|特別|특수|خاص"
    r"|file|image|datei|fichier|archivo|файл|ファイル|文件|파일|ملف"
    r"|category|kategorie|catégorie|categoría|categoria|категория|カテゴリ|分类|分類|분류|تصنيف"
    r"|media|mediawiki|module):",
    re.IGNORECASE,
)
"""Names of the namespaces whose pages are made and not written, in the largest languages."""
_MADE = frozenset({-2, -1, 6, 8, 14, 828})
"""The same by number."""


@dataclass(frozen=True, slots=True)
class _Asked:
    host: str
    title: str
    """As it stands in addresses, decoded; may be empty where there is a revision."""
    revision: str = ""
    variant: str = ""
    """The way of writing the language, such as zh-tw."""


def converse(visit: Visit) -> Conversation | None:
    """How to read an article; None for any other page."""
    asked = _asked(visit)
    return None if asked is None else _read(visit, asked)


def _asked(visit: Visit) -> _Asked | None:
    host = (visit.parts.hostname or "").replace(".m.", ".", 1)
    language = host.partition(".")[0]
    if language in {"www", *_WIKIS} and host != "www.mediawiki.org":
        return None  # the portals
    query = parse_qs(visit.parts.query)
    first, _, rest = visit.parts.path.lstrip("/").partition("/")
    variant = _VARIANT.fullmatch(first)
    if first == "w" and rest == "index.php":
        title, known = query.get("title", [""])[0], {"title", "oldid"}
    elif first == "wiki" or (variant is not None and variant[1] == language):
        title, known = unquote(rest), {"oldid", "variant", "useskin", "wprov", "redirect"}
    else:
        return None
    revision = query.get("oldid", [""])[0]
    if not query.keys() <= known or not (title or revision) or _OTHERS.match(title):
        return None
    if (revision and not _REVISION.fullmatch(revision)) or (title and not title.strip(".")):
        return None
    written = first if variant is not None and first != "wiki" else query.get("variant", [""])[0]
    written = written if _LANGUAGE.fullmatch(written) else ""
    return _Asked(host, title.replace(" ", "_"), revision, written)


def _read(visit: Visit, asked: _Asked) -> Conversation:
    base = (visit.settings.sites.wikipedia_url or f"https://{asked.host}").rstrip("/")
    place = (
        f"revision/{asked.revision}" if asked.revision else f"page/{quote(asked.title, safe='')}"
    )
    headers = (*AGENT, ("Accept-Language", asked.variant)) if asked.variant else AGENT
    reply = yield from got(Get(url=f"{base}/w/rest.php/v1/{place}/with_html", headers=headers))
    answer = object_in(reply, _WHO)
    html = text_of(answer, "html")
    if not html:
        raise SiteFailed("unparseable", f"{_WHO}'s answer holds no page")
    page = record(answer.get("page")) or answer
    title = text_of(page, "title") or asked.title.replace("_", " ")
    key = text_of(page, "key") or asked.title
    made = article(html, title, f"https://{asked.host}/wiki/{quote(key, safe='/:()@,;!*')}")
    if made.namespace in _MADE:
        raise SiteFailed("elsewhere", "its interface has only what was written of such a page")
    latest = record(answer.get("latest"))
    changed = text_of(answer, "timestamp") or text_of(latest, "timestamp") or made.changed
    return _piece(asked, made, unquote(visit.parts.fragment), changed, number_of(latest, "id"))


def _piece(asked: _Asked, made: Article, section: str, changed: str, latest: float | None) -> Piece:
    redirected = made.title.replace(" ", "_") != asked.title and asked.title and not asked.revision
    url = f"{made.url}?oldid={asked.revision}" if asked.revision else made.url
    return Piece(
        url=url,
        title=made.title,
        markdown=made.markdown(
            f"revision {asked.revision}" if asked.revision else "",
            changed=changed,
            redirected=asked.title.replace("_", " ") if redirected else "",
            section=section.replace("_", " "),
            revision=f"{latest:.0f}" if latest and not asked.revision else "",
        ),
        published=changed or None,
        lang=asked.variant or made.language or None,
    )
