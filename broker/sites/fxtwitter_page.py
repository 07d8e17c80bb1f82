"""Posts of X as a document: one, or a thread in its order, with what is quoted, shown and asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broker.providers.answers import shortened, text_of
from broker.sites.base import Piece
from broker.sites.blocks import (
    clock,
    document,
    facts,
    framed,
    heading,
    items,
    linked,
    named,
    paragraph,
    prose,
)
from broker.sites.fxtwitter_article import article_blocks
from broker.sites.fxtwitter_post import Lost, Post, post_url
from broker.sites.writing import counted, minute
from extract.inline import STRONG, escape, image, join
from extract.model import Frame, Holder
from extract.tree import fold

if TYPE_CHECKING:
    from broker.sites.fxtwitter_post import Medium, Poll
    from extract.model import Block

_TITLE_CHARS = 80
_ONLY_LINK = "http"


def thread_piece(post: Post, thread: tuple[Post, ...]) -> Piece:
    """The document of a post, with the rest of its thread where there is one."""
    posts = list({each.id: each for each in (*thread, post)}.values())
    if not any(each.id == post.id for each in thread):
        posts = [post]
    title = fold(text_of(post.article or {}, "title")) or _title(posts[0])
    warnings: list[str] = []
    if len(posts) == 1:
        blocks = [*_about(post), *_body(post, warnings)]
    else:
        place = 1 + [each.id for each in posts].index(post.id)
        lead = f"A thread of {len(posts)} posts; the one that was asked for is number {place}."
        blocks = [*_about(posts[0]), paragraph(lead)]
        for number, each in enumerate(posts, 1):
            blocks.append(heading(f"{number} of {len(posts)}", 2))
            blocks += () if each is posts[0] else _about(each)
            blocks += _body(each, warnings)
    return Piece(
        url=post.url,
        title=title,
        markdown=document(title, blocks),
        byline=_author(post) or None,
        published=post.created or None,
        lang=post.lang,
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _title(post: Post) -> str:
    said = shortened(post.text, _TITLE_CHARS)
    return ": ".join(filter(None, (_author(post), said))) or "A post"


def _author(post: Post) -> str:
    handle = f"@{post.handle}" if post.handle else ""
    return f"{post.name} ({handle})" if post.name and handle else post.name or handle


def _about(post: Post) -> tuple[Block, ...]:
    """Who, when, to whom, and how it was received."""
    answered = ""
    if post.answers or post.answers_id:
        whom = f"@{post.answers}" if post.answers else "a post"
        answered = "answers " + named(whom, post_url(post.answers_id, post.answers))
    return facts(
        join([STRONG, escape(_author(post)), STRONG]) if _author(post) else "",
        minute(post.created),
        answered,
        counted(post.likes, "like"),
        counted(post.reposts, "repost"),
        counted(post.replies, "reply", "replies"),
        counted(post.views, "view"),
        named("X", post.url),
    )


def _body(post: Post, warnings: list[str], *, quoted: bool = False) -> tuple[Block, ...]:
    """What a post says and shows, its quote indented."""
    blocks: list[Block] = []
    if post.article is not None and not quoted:
        blocks += article_blocks(post.article, warnings)
    elif post.article is not None:
        blocks += _teaser(post)
    is_article = post.article is not None
    if not (is_article and post.text.startswith(_ONLY_LINK) and len(post.text.split()) == 1):
        blocks[:0] = prose(post.text)
    blocks += (_medium(medium) for medium in post.media)
    if post.poll is not None:
        blocks += _poll(post.poll)
    if post.note:
        note = (paragraph(join([STRONG, "Community note:", STRONG])), *prose(post.note))
        blocks += framed(note, Frame(Holder.QUOTE))
    if isinstance(post.quote, Post):
        inside = (*_about(post.quote), *_body(post.quote, warnings, quoted=True))
        blocks += framed(inside, Frame(Holder.QUOTE))
    elif isinstance(post.quote, Lost):
        blocks += framed((paragraph("The post quoted here is gone."),), Frame(Holder.QUOTE))
    return tuple(blocks)


def _teaser(post: Post) -> tuple[Block, ...]:
    """An Article that is only quoted."""
    article = post.article or {}
    title = named(text_of(article, "title") or "An Article", post.url)
    return (paragraph(STRONG, title, STRONG), *prose(text_of(article, "preview_text")))


def _medium(medium: Medium) -> Block:
    if medium.kind == "Picture" and medium.alt:
        return paragraph(image(medium.alt, medium.url))
    length = f", {clock(medium.seconds)}" if medium.seconds else ""
    link = named(f"{medium.kind}{length}", medium.url)
    return paragraph(link, *((": ", *linked(medium.alt)) if medium.alt else ()))


def _poll(poll: Poll) -> tuple[Block, ...]:
    lines = []
    for choice in poll.choices:
        share = "" if choice.percent is None else f"{choice.percent:g} %"
        received = ", ".join(filter(None, (share, counted(choice.votes, "vote"))))
        lines.append(": ".join(filter(None, (escape(fold(choice.label)), received))))
    ends = f"ends {minute(poll.ends)}" if minute(poll.ends) else ""
    return (*items(lines), *facts(counted(poll.votes, "vote"), ends))
