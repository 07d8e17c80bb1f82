"""What a credential looks like, and whether a text that would leave the machine holds one.

Only forms that are credentials and nothing else: a prefix that its issuer made up with a body of
the right letters, a password in its place in an address, a long random value under a telling name.
Words about secrets, hashes, UUIDs and package names are none of these. What is a false alarm all
the same can be let through by a flag; a secret that has left cannot be called back. Pure.
"""

from __future__ import annotations

import re
from urllib.parse import unquote_plus

# Looks ahead for what random values have and words have not: a digit, and letters.
_RANDOM = r"(?=[\w.~+/%-]*\d)(?=[\w.~+/%-]*[A-Za-z])"

# Passwords in documentation: a blank to be filled in, or a common word for a machine without a
# domain, as in `postgres:postgres@localhost`.
_EXAMPLE = r"""
    [<{$\[*] | %[a-z]@ | [xX]+@ | \.+@
    | (?:pass|passwd|password|pwd|secret|admin|root|guest|postgres|test)@[a-z_-]+(?:[:/?\#\s]|\Z)
    """

KINDS: tuple[tuple[str, str], ...] = (
    (
        "a private key",
        r"""-----BEGIN\ (?:[A-Z0-9]+\ )*PRIVATE\ KEY(?:\ BLOCK)?----- (?: \s | \\[rn] )*
            (?: M[A-Z](?=[A-Z+/]*[a-z\d])[\w+/]{4,} | b3Blbn | [\w+/]{24,}
              | (?:Proc-Type|Version): )
            (?: .*? -----END\ [A-Z0-9 ]*PRIVATE\ KEY(?:\ BLOCK)?----- | .*\Z )""",
    ),
    ("an age secret key", r"\bAGE-SECRET-KEY-1[A-Z0-9]{40,}"),
    ("an AWS access key", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    ("a GitHub token", r"\b(?: gh[opusr]_[A-Za-z0-9]{20,} | github_pat_[A-Za-z0-9]{16,}\w* )"),
    ("a GitLab token", r"\bgl(?:pat|dt|rt|ptt|cbt)-(?=[\w-]*\d)[\w-]{16,}"),
    (
        "a Slack token",
        r"\b(?: xox[a-z]-(?=[\w-]*\d{4})[\w-]{10,} | xapp-\d-[A-Z0-9]+-\d+-\w{16,} )",
    ),
    ("a Slack webhook", r"\bhooks\.slack\.com/(?:services|workflows)/T\w{6,}/\w{6,}/\w{16,}"),
    ("a Discord webhook", r"\bdiscord(?:app)?\.com/api/webhooks/\d{15,}/[\w-]{40,}"),
    ("a Telegram bot token", r"(?<!\d)\d{8,11}:AA[\w-]{32,}"),
    ("a Google API key", r"\bAIza[\w-]{30,}"),
    ("a Google OAuth credential", r"\b(?: ya29\.[\w-]{20,} | GOCSPX-[\w-]{20,} | 1//0[\w-]{30,} )"),
    ("a JSON web token", r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"),
    ("a Stripe key", r"\b(?: [rs]k_(?:live|test)_[A-Za-z0-9]{16,} | whsec_[A-Za-z0-9+/]{24,} )"),
    (
        "an OpenAI-style key",
        r"""\bsk-(?:[a-z]+\d*-){0,4}
            (?: (?=[A-Za-z]*\d)[A-Za-z0-9]{16,} | [A-Za-z0-9]{24,} ) [\w-]*""",
    ),
    (
        "an API key of an AI service",
        r"""\b(?: gsk_ | xai- | hf_ | r8_ | pplx- | tvly-(?:dev-|prod-)? )
            (?=[A-Za-z]*\d)[A-Za-z0-9]{24,}""",
    ),
    ("a Z.ai key", r"\b[0-9a-f]{32}\.(?=\w*[A-Z])(?=\w*[a-z])[A-Za-z0-9]{16}\b"),
    (
        "a package registry's token",
        r"""\b(?: npm_[A-Za-z0-9]{36} | pypi-AgE[\w-]{30,} | rubygems_[0-9a-f]{48}
              | cio(?=[A-Za-z]*\d)[A-Za-z0-9]{32} )\b""",
    ),
    ("a SendGrid key", r"\bSG\.[\w-]{22}\.[\w-]{43}"),
    ("a Vault token", r"\bhv[sbr]\.(?=[\w-]*\d)[\w-]{24,}"),
    (
        "a cloud service's token",
        r"""\b(?: do[opr]_v1_[0-9a-f]{60,} | dapi[0-9a-f]{32} | shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}
              | (?:lin_api_|ntn_|secret_|dp\.pt\.)(?=[A-Za-z]*\d)[A-Za-z0-9]{40,} )\b""",
    ),
    ("a storage account key", r"\bAccountKey=[\w+/]{40,}"),
    (
        "a password in a URL",
        rf"(?<=://) [^\s/?\#@]*: (?!{_EXAMPLE}) [^\s/?\#@]+ (?=@(?!sha\d+:)[\w\[])",
    ),
    ("a password in a URL", r"(?<=[?&;\#]) (?i:password|passwd|pwd)= (?![<{$\[*]) [^\s&\#;]{6,}"),
    (
        "a signature of a signed URL",
        rf"""(?: \b(?i:X-(?:Amz|Goog|Oss)-(?:Signature|Security-Token))=
              | (?<=[?&;]) (?i:sig|signature|hmac)= ) {_RANDOM} [\w.~+/%=-]{{20,}}""",
    ),
    (
        "a token in a URL",
        rf"""(?<=[?&;\#])
            (?i: (?:(?:access|refresh|id|auth|session|api|sas)[_-]?)?token | jwt | api[_-]?key
               | (?:client[_-]?)?secret | session[_-]?id | subscription-key )=
            {_RANDOM} [\w.~+/%=-]{{16,}}""",
    ),
    ("a bearer token", rf"\b(?i:bearer)\s+ {_RANDOM} [\w.~+/=-]{{20,}}"),
    (
        "a secret value",
        rf"""(?i: api[_-]?key | secret(?:[_-]?(?:access[_-]?)?key)? | (?:access|auth)[_-]?token
               | passw(?:or)?d ) ["']? \s* [=:] \s* ["']? {_RANDOM} [\w.~+/%-]{{20,}}""",
    ),
)
"""What it is, and its form as an expression for `FLAGS`. The first that fits gives the name."""

FLAGS = re.VERBOSE | re.DOTALL

# Stands where a secret would, in documentation.
_PLACEHOLDER = re.compile(r"[xX*]{8}|\.\.\.|(?i:your[_-])")

# No secret comes without one of these: most queries are spared the table, and its compilation.
_SUSPICIOUS = re.compile(r"\S{16}|://|-----BEGIN|[?&;#]\w+=")


def find_secret(text: str) -> str | None:
    """The kind of secret that `text`, a query or an address, holds: "a GitHub token".

    It reads on after "it holds"; None when there is none. Percent-escapes are looked through.
    Never raises.
    """
    for form in dict.fromkeys((text, unquote_plus(text))):
        if _SUSPICIOUS.search(form) is None:
            continue
        for kind, pattern in KINDS:
            matches = re.finditer(pattern, form, FLAGS)
            if any(_PLACEHOLDER.search(match[0]) is None for match in matches):
                return kind
    return None
