"""A documentation site into a folder, from the request to the report.

The folder is opened, the site walked, the links led from file to file. A stop in the middle, by
signal or by deadline, loses the pages under way and no others: the same request then goes on. One
that has brought no page leaves no folder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from broker.errors import RequestInvalid
from broker.pull.disk import Unwritable
from broker.pull.harvest import Means
from broker.pull.relink import relink
from broker.pull.report import report_of
from broker.pull.state import open_manifest
from broker.pull.walk import Walk
from broker.redact import safe_url
from broker.trace import Event

if TYPE_CHECKING:
    from collections.abc import Callable

    from broker.context import RequestContext
    from broker.egress.policy import EgressPolicy
    from broker.pull.records import PullReport, PullRequest, PullStep
    from broker.reading.session import Reading


async def pull(
    ctx: RequestContext,
    request: PullRequest,
    reading: Reading,
    tell: Callable[[PullStep], None],
) -> PullReport:
    """Walk until everything wanted is read, or `ctx.deadline` comes. Safe to cancel.

    Raises:
        RequestInvalid: it is no address, or the folder is not for this pull.
        Refused: our policy forbids the address.
        Unwritable: the folder cannot be used.
    """
    started_s = anyio.current_time()
    means = Means(
        pages=reading.pages,
        way=reading.site,
        policy=reading.policy,
        page_s=reading.settings.reading.fetch_deadline_s,
    )
    url = _begun(request.url, means.policy)
    out = request.out.absolute()
    manifest = await anyio.to_thread.run_sync(open_manifest, out, url)
    try:
        ctx.trace.event(Event.REQUEST_START, url=safe_url(url), pages=request.max_pages)
        walk = Walk(ctx, means, manifest, max_pages=request.max_pages, tell=tell)
        with ctx.deadline.scope() as scope:
            await walk.run(url)
        if scope.cancelled_caught:
            walk.stopped = "the time was up"
        await walk.note_refused()
        await anyio.to_thread.run_sync(relink, manifest)
        ms = round((anyio.current_time() - started_s) * 1000)
    except OSError as error:
        raise Unwritable(f"the folder {out} cannot be written: {error.strerror}") from error
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(manifest.drop_if_empty)
        manifest.close()
    report = report_of(manifest, walk.standing(), ms=ms)
    ctx.trace.event(Event.REQUEST_END, pages=report.pulled, failed=len(report.failed))
    return report


def _begun(url: str, policy: EgressPolicy) -> str:
    """The address to begin at, in the form to request."""
    target = policy.check_url(url).url
    if "@" in target.partition("://")[2].partition("/")[0]:
        message = "the address has a user or a password in it, which the files would show"
        raise RequestInvalid(message, field="url")
    return target
