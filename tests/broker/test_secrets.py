"""Which queries and addresses hold a secret, and which only talk about one."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broker.redact import MASK, redact
from broker.secrets import FLAGS, KINDS, find_secret

HEX32 = "0123456789abcdef" * 2
MIXED = "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7dE9f"
"""43 letters and digits."""
BODY = "MIIEpAIBAAKCAQEA"

SECRETS = [
    ("AKIAIOSFODNN7EXAMPLE", "an AWS access key"),
    ("ASIAQWERTYUIOP123456", "an AWS access key"),
    (f"ghp_{MIXED[:36]}", "a GitHub token"),
    (f"gho_{'a' * 36}", "a GitHub token"),
    (f"github_pat_11ABCDEFG0{MIXED[:12]}_{MIXED}", "a GitHub token"),
    ("glpat-abcd1234efgh5678ijkl", "a GitLab token"),
    ("xoxb-123456789012-abcdefghij", "a Slack token"),
    ("xoxp-1234567890-1234567890-abcdef", "a Slack token"),
    (f"https://hooks.slack.com/services/T0ABCDEF/B0ABCDEF/{MIXED[:24]}", "a Slack webhook"),
    (f"https://discord.com/api/webhooks/1234567890123456/{MIXED}ab", "a Discord webhook"),
    ("123456789:AAF0aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1x", "a Telegram bot token"),
    ("AIzaSyA1234567890abcdefghijklmnopqrstuv", "a Google API key"),
    (f"ya29.{MIXED}", "a Google OAuth credential"),
    (f"GOCSPX-{MIXED[:28]}", "a Google OAuth credential"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "a JSON web token"),
    ("sk_live_4eC39HqLyjWDarjtT1zdp7dc", "a Stripe key"),
    ("rk_test_4eC39HqLyjWDarjtT1zdp7dc", "a Stripe key"),
    (f"whsec_{MIXED[:32]}", "a Stripe key"),
    (f"sk-{HEX32}", "an OpenAI-style key"),
    (f"sk-{MIXED}abcde", "an OpenAI-style key"),
    ("sk-proj-abcdefghijklmnop1234", "an OpenAI-style key"),
    (f"sk-ant-api03-{MIXED}-{MIXED}_AA", "an OpenAI-style key"),
    (f"sk-or-v1-{HEX32}{HEX32}", "an OpenAI-style key"),
    (f"sk-{'abcdefgh' * 6}", "an OpenAI-style key"),
    (f"gsk_{MIXED}", "an API key of an AI service"),
    (f"hf_{MIXED[:34]}", "an API key of an AI service"),
    (f"tvly-dev-{MIXED[:32]}", "an API key of an AI service"),
    (f"{HEX32}.aB3dE5fG7hJ9kL1m", "a Z.ai key"),
    (f"npm_{MIXED[:36]}", "a package registry's token"),
    (f"SG.{MIXED[:22]}.{MIXED}", "a SendGrid key"),
    (f"hvs.{MIXED}", "a Vault token"),
    (f"dop_v1_{HEX32}{HEX32}", "a cloud service's token"),
    (f"shpat_{HEX32}", "a cloud service's token"),
    (f"AccountKey={MIXED}{MIXED}==;EndpointSuffix=core", "a storage account key"),
    (f"AGE-SECRET-KEY-1{'QPZRY9X8GF' * 5}", "an age secret key"),
    (f"-----BEGIN RSA PRIVATE KEY----- {BODY} -----END RSA PRIVATE KEY-----", "a private key"),
    (f"-----BEGIN PRIVATE KEY-----\n{BODY}", "a private key"),
    (f"-----BEGIN EC PRIVATE KEY-----\\n{BODY}", "a private key"),
    ("-----BEGIN OPENSSH PRIVATE KEY----- b3BlbnNzaC1rZXktdjEA", "a private key"),
    ("-----BEGIN PGP PRIVATE KEY BLOCK----- Version: GnuPG v2 lQOYBF", "a private key"),
    ("https://me:pa55@host/x", "a password in a URL"),
    ("https://user:hunter2@example.com/", "a password in a URL"),
    ("clone https://user:pass@git.example.com/a.git fails", "a password in a URL"),
    ("postgres://app:s3cr3t@db.internal:5432/main", "a password in a URL"),
    ("redis://:hunter2@cache:6379/0", "a password in a URL"),
    ("mongodb+srv://u:p%40ss@cluster0.example.net", "a password in a URL"),
    ("https://user:correct-horse@[2001:db8::1]/", "a password in a URL"),
    ("https://a.example/login?user=me&password=hunter2", "a password in a URL"),
    (f"https://b.example/k?X-Amz-Signature={HEX32}{HEX32}&x=1", "a signature of a signed URL"),
    (f"https://b.example/k?X-Goog-Signature={HEX32 * 8}", "a signature of a signed URL"),
    (f"https://b.example/k?sv=2024&sig={MIXED[:40]}%3D", "a signature of a signed URL"),
    (f"https://a.example/cb#access_token={MIXED}&x", "a token in a URL"),
    (f"https://a.example/?token={HEX32}", "a token in a URL"),
    (f"https://a.example/?q=1&api_key={HEX32}", "a token in a URL"),
    (f"https://a.example/?client_secret={MIXED}", "a token in a URL"),
    (f"curl -H 'Authorization: Bearer {MIXED}'", "a bearer token"),
    (f"EXA_API_KEY={HEX32}", "a secret value"),
    (f'{{"apiKey": "{MIXED}"}}', "a secret value"),
    ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "a secret value"),
    ("API_KEY=550e8400-e29b-41d4-a716-446655440000", "a secret value"),
]

HARMLESS = [
    "how to rotate AKIA keys",
    "AKIA prefix vs ASIA prefix",
    "AKIAXXXXXXXXXXXXXXXX what does this prefix mean",
    "sk- prefix meaning",
    "sk-learn random forest classifier",
    "sk-learn-contrib/imbalanced-learn GridSearchCV",
    "sk-your-api-key-here OpenAI environment variable",
    "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx invalid api key",
    "invalid_api_key: Incorrect API key provided: sk-proj-****abcd",
    "risk-1234567890abcdef1234 disk-1234567890abcdef1234",
    "password reset",
    "password: required field error",
    "PASSWORD=postgres docker compose environment",
    "password=test123 spring security login fails",
    "passwords in URLs rfc3986 userinfo deprecated",
    "secret key base rails credentials",
    "kubernetes secret=my-secret-name mount path",
    "api_key=your_api_key_goes_here_123456 curl",
    "API_KEY=${{ secrets.DEPLOY_API_KEY_2024 }} github actions",
    "access_token=undefined oauth redirect",
    "bearer token authentication header format",
    "Bearer authentication-middleware-for-express",
    "a bearer of good news",
    "ghp_ token format regular expression",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx bad credentials",
    "github_pat_ vs ghp_ fine-grained",
    "glpat- prefix gitlab runner",
    "xoxb-your-token slack bolt",
    "xoxb vs xoxp slack token types",
    "AIza prefix google maps restrict key",
    "hf_hub_download_with_retries_and_backoff_v2 huggingface",
    "npm_config_registry npm_package_version environment",
    "secret_manager_v1_access_secret_version_request protobuf",
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9 what is this",
    "what does eyJ mean in a JWT",
    "-----BEGIN RSA PRIVATE KEY----- vs -----BEGIN PRIVATE KEY-----",
    "-----BEGIN OPENSSH PRIVATE KEY----- error in libcrypto",
    "-----BEGIN PRIVATE KEY----- Missing newline after header OpenSSL",
    "-----BEGIN PUBLIC KEY----- MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAK",
    "-----BEGIN CERTIFICATE----- MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBa",
    "commit 3f2a9c1e8b7d6f5a4c3b2a1908f7e6d5c4b3a291 broke the build",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "docker://alpine:3.19@sha256:9f86d081884c7d659a2feaa0c55ad015",
    f"md5 {HEX32}.jpg {HEX32}.tar",
    "550e8400-e29b-41d4-a716-446655440000",
    "aGVsbG8gd29ybGQgdGhpcyBpcyBiYXNlNjQ=",
    "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
    "AbstractSingletonProxyFactoryBean getEarlyBeanReference NullPointerException",
    "@typescript-eslint/eslint-plugin 8.0.0 peer dependency",
    "com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException",
    "x86_64-unknown-linux-gnu-gcc-13.2.0-r1234567890",
    "0x7ffee3b5c8d0 segmentation fault 0xdeadbeefdeadbeef",
    "postgresql://user:password@localhost:5432/db could not translate host name",
    "postgres://postgres:postgres@localhost connection refused",
    "mysql://root:<password>@db.example.com/app",
    "amqp://user:${PASSWORD}@broker.example.com",
    "mongodb+srv://admin:%s@cluster0.example.net format string",
    "https://user:xxxx@example.com basic auth syntax",
    "ssh://git@github.com/acme/webapp.git",
    "git@github.com:acme/webapp.git permission denied (publickey)",
    "http://localhost:8080/@vite/client 404",
    "https://medium.com/@someone/a-story-about-tokens-1234567890ab",
    "https://a.example/?token=abc",
    "https://a.example/reset?token=example-reset-token-value",
    "https://a.example/?sig=short&v=20260101",
    "https://b.example/k?X-Amz-Signature=calculated-signature-value",
    "https://www.example.com/watch?v=dQw4w9WgXcQ&list=PLrAXtmErZgOeiKm4sgNOknGvNjby9efdf",
    "https://a.example/?utm_source=newsletter2026&id=1234567890abcdef1234567890",
    "https://a.example/search?q=password+reset&page=2",
    "https://a.example/?password=",
    "SG.CodeCoverage.Instrumentation.Something.Deeper.Still",
    "the cat sat on the mat",
    "",
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind"), SECRETS)
@pytest.mark.parametrize(
    "around", ["{}", "why does {} not work?", "({})"], ids=["bare", "asked", "in brackets"]
)
def test_a_secret_is_found_and_its_kind_named(text: str, kind: str, around: str) -> None:
    assert find_secret(around.format(text)) == kind


@pytest.mark.parametrize("text", HARMLESS)
def test_words_about_secrets_and_long_identifiers_are_none(text: str) -> None:
    assert find_secret(text) is None


@pytest.mark.parametrize(("text", "kind"), SECRETS)
def test_percent_escapes_hide_nothing(text: str, kind: str) -> None:
    assert find_secret(f"https://a.example/?q={quote(text, safe='')}") == kind


@pytest.mark.parametrize(("text", "kind"), SECRETS)
def test_what_is_refused_in_a_query_is_masked_in_a_trace(text: str, kind: str) -> None:
    shown = redact(text)
    assert MASK in shown
    assert find_secret(shown) is None, kind


def test_every_form_is_tried_by_this_table() -> None:
    texts = [text for text, _ in SECRETS]
    untried = [kind for kind, form in KINDS if not any(re.search(form, t, FLAGS) for t in texts)]
    assert untried == []


ALPHABET = st.sampled_from([*"aZ0-_.:/@?&=#% \n", "sk-", "://", "token=", "eyJ", "-----BEGIN "])


@given(st.one_of(st.text(), st.lists(ALPHABET, max_size=200).map("".join)))
def test_looking_never_raises(text: str) -> None:
    find_secret(text)


@pytest.mark.parametrize(
    "part",
    ["sk-", "sk-a-", "eyJ", "://a:", "://:", "token=1a&", "-----BEGIN PRIVATE KEY-----", "a", "1"],
)
def test_a_long_text_is_looked_through_in_no_time(part: str) -> None:
    assert find_secret(part * (20_000 // len(part))) is None
