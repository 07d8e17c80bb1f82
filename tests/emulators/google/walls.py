"""The pages that stand where results should be."""

from __future__ import annotations

import hashlib
from html import escape
from urllib.parse import quote

from tests.emulators.google.filler import script, scripts
from tests.emulators.google.furniture import noscript
from tests.emulators.messages import Response, html, redirect

ROUNDS = 2_000
BOOTSTRAP_BYTES = 90_000


def captcha(search_url: str) -> Response:
    """The redirect that a search gets."""
    return redirect(f"/sorry/index?continue={_quoted(search_url)}&q=EgQAAAAAGLb0l8kGIjD")


def captcha_page(search_url: str) -> Response:
    """Where it leads: 429, titled with the blocked address."""
    url = escape(search_url)
    text = f"""<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">
<html><head><meta http-equiv="content-type" content="text/html; charset=utf-8">
<meta name="viewport" content="initial-scale=1"><title>{url}</title></head>
<body style="font-family: arial, sans-serif; padding:20px"
 onload="e=document.getElementById('captcha');if(e){{e.focus();}}">
<div style="max-width:400px;"><hr noshade size="1"><br>
<form id="captcha-form" action="index" method="post">
<noscript><div>In order to continue, please enable javascript on your web browser.</div></noscript>
<script src="/recaptcha/enterprise.js" async defer></script>
<script>var submitCallback = function(response) {{}};</script>
<div id="recaptcha" class="g-recaptcha" data-sitekey="loopback-site-key"
 data-callback="submitCallback" data-s="loopback"></div>
<input type="hidden" name="q" value="EgQAAAAAGLb0l8kGIjD">
<input type="hidden" name="continue" value="{url}"></form>
<hr noshade size="1"><div style="font-size:13px;"><b>About this page</b><br><br>
Our systems have detected unusual traffic from your computer network. This page stands
for the real one.
<a href="#" onclick="document.getElementById('infoDiv').style.display='block';">Why?</a>
<div id="infoDiv" style="display:none;">Nothing happened; this is a test.</div><br>
IP address: 192.0.2.7<br>Time: 2026-11-20T10:00:00Z<br>URL: {url}<br></div></div></body></html>"""
    return html(text, 429)


def captcha_simple(status: int) -> Response:
    """The old plain form, at the search's own address."""
    return html(
        "<html><head><title>Sorry...</title></head><body><div><b>We're sorry...</b><p>... but your "
        "computer or network may be sending automated queries. To protect our users, we can't "
        "process your request right now.</p></div></body></html>",
        status,
    )


def bootstrap_value(seed: str) -> int:
    """What the script of a bootstrap page computes from its seed."""
    value = 0x811C9DC5
    for number in range(ROUNDS):
        value = ((value ^ ord(seed[number % len(seed)])) * 0x01000193) & 0xFFFFFFFF
    return value


def bootstrap_accepted(token: str) -> bool:
    """Whether a `sg_ss` or `SG_SS` value is what the script computes."""
    version, _, rest = token.partition(".")
    seed, _, value = rest.partition(".")
    return version == "B1" and bool(seed) and value == str(bootstrap_value(seed))


_COMPUTE = """
var v=0x811c9dc5,s=%r;for(var i=0;i<%d;i++)
{v=Math.imul(v^s.charCodeAt(i%%s.length),0x01000193)>>>0;}
var t="B1."+s+"."+v;"""
_RELOAD = """
document.cookie="SG_SS="+t+"; path=/; max-age=300";
var u=new URL(location.href);u.searchParams.set("sg_ss",t);location.replace(u.href);"""
_TROUBLE = 'document.getElementById("yvlrue").setAttribute("style","");'


def bootstrap(query: str, *, reloads: bool = True, trouble: bool = False) -> Response:
    """A page whose script must run before there are results; the cookie spares later ones."""
    seed = hashlib.blake2b(query.encode(), digest_size=9).hexdigest()
    code = _COMPUTE % (seed, ROUNDS) + (_RELOAD if reloads else "") + (_TROUBLE if trouble else "")
    link = f"/search?q={_quoted(query)}&sca_esv=3d101602a3f9b039&emsg=SG_REL&sei={seed}"
    return html(
        '<!DOCTYPE html><html lang="en"><head><title>Google Search</title>'
        "<style>body{background-color:#fff}</style>"
        f"{script('window.google=window.google||{};')}</head><body>{noscript(seed)}"
        f"{scripts(BOOTSTRAP_BYTES)}"
        "<style>div{font-family:sans-serif}a{text-decoration:none}</style>"
        '<div id="yvlrue" style="display:none">If you\'re having trouble accessing Google Search, '
        f'please&nbsp;<a href="{escape(link)}">click here</a>, or send&nbsp;'
        '<a href="https://support.google.com/websearch">feedback</a>.</div>'
        f"{script('(function(){' + code + '})();')}</body></html>"
    )


def unsupported() -> Response:
    return html(
        '<!DOCTYPE html><html lang="en"><head><title>Google Search</title></head><body>'
        '<div class="MAeEI"><div class="RBdMVb">Update your browser</div><span>Your browser isn\'t '
        "supported anymore. To continue your search, upgrade to a recent version.</span> "
        '<a href="https://support.google.com/websearch/answer/16515119"><span>Learn more</span></a>'
        "</div></body></html>"
    )


def error(status: int, name: str, remark: str) -> Response:
    """The bare page for all HTTP errors."""
    return html(
        "<!DOCTYPE html><html lang=en><meta charset=utf-8>"
        f"<title>Error {status} ({name})!!1</title>"
        f'<a href="/"><span id=logo aria-label=Google></span></a><p><b>{status}.</b> '
        f"<ins>That\u2019s an error.</ins><p>{remark} <ins>That\u2019s all we know.</ins>",
        status,
    )


def blocked(target: str) -> Response:
    url = f"<code>{escape(target)}</code>"
    remark = f"Your client does not have permission to get URL {url} from this server."
    return error(403, "Forbidden", remark)


def verifying(token: str) -> Response:
    """What `/goto` answers when links are resolved too quickly: 200, without a captcha form."""
    return html(
        '<!DOCTYPE html><html lang="en"><head><title>Verifying your request</title></head><body>'
        "<h1>Verifying your request</h1><p>You'll be able to continue in a few seconds.</p>"
        f'<p>Don\'t refresh this page.</p><form action="/goto"><input type="hidden" name="url" '
        f'value="{escape(token)}"><button disabled>Continue</button></form></body></html>'
    )


def _quoted(text: str) -> str:
    return quote(text, safe="")
