"""Scripts and navigations that get in the way of a reader; all stand on a page with results."""

from __future__ import annotations

from urllib.parse import urlsplit

from tests.emulators.google.filler import script
from tests.emulators.google.rules import Mode
from tests.emulators.google.sheet import Extras

OTHER_HOST = "elsewhere.localhost"
_AWAY = f'"http://{OTHER_HOST}:"+location.port+"/elsewhere"'

EXTRAS: dict[Mode, Extras] = {
    Mode.LOOP_BEFORE: Extras(before=script("while(1){}")),
    Mode.LOOP_AFTER: Extras(after=script("while(1){}")),
    Mode.NEVER_SETTLES: Extras(
        head=script("window.ready=new Promise(function(){});"),
        after='<script type="module">await window.ready;</script>',
    ),
    Mode.NEVER_LOADS: Extras(
        after='<iframe src="/hang/frame"></iframe><script async src="/hang/late.js"></script>'
        '<img src="/hang/pixel.png" alt="">'
    ),
    Mode.NEVER_READY: Extras(after='<script src="/hang/blocking.js"></script>'),
    Mode.DIALOGS: Extras(
        after=script('alert("Hello");confirm("Sure?");prompt("Name?","x");window.print();')
    ),
    Mode.BEFOREUNLOAD: Extras(
        after=script(
            'window.addEventListener("beforeunload",function(e){e.preventDefault();'
            'e.returnValue="stay";});'
        )
    ),
    Mode.POPUP: Extras(
        after=script(
            'window.open("/popup");window.open("about:blank","_blank","width=200,height=200");'
        )
    ),
    Mode.RUNAWAY: Extras(
        after=script(f"window.open({_AWAY});setTimeout(function(){{location.href={_AWAY};}},50);")
    ),
    Mode.DOWNLOAD: Extras(
        after='<a id="dl" href="/file.bin" download="file.bin">file</a>'
        + script('document.getElementById("dl").click();')
    ),
}


def elsewhere(origin: str) -> str:
    """The same server under another host's name."""
    return f"http://{OTHER_HOST}:{urlsplit(origin).port}/elsewhere"


def meta_refresh(origin: str) -> Extras:
    """A page that sends its reader to another host without a script."""
    return Extras(head=f'<meta http-equiv="refresh" content="0;url={elsewhere(origin)}">')
