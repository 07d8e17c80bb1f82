"""Code comes out of a page as it was written, whatever a highlighter made of it."""

from __future__ import annotations

import pytest

from extract.code import code_text, is_code_block, language
from extract.tree import Node, parse


def block(html: str) -> Node:
    """The first element of `html`, below the body."""
    body = parse(f"<body>{html}</body>").find("body")
    assert body is not None
    return body[0]


def inner(html: str, tag: str) -> Node:
    return next(block(html).iter(tag))


PYGMENTS = (
    '<table class="highlighttable"><tr><td class="linenos"><div class="linenodiv"><pre>'
    "<span></span>1\n2</pre></div></td><td class='code'><div class='highlight'><pre><span></span>"
    "<span class='k'>if</span> x:\n    y\n</pre></div></td></tr></table>"
)
ROUGE = (
    '<table class="rouge-table"><tbody><tr><td class="rouge-gutter gl"><pre class="lineno">1\n2\n'
    '</pre></td><td class="rouge-code"><pre>a\nb\n</pre></td></tr></tbody></table>'
)
HEXO = (
    '<table><tr><td class="gutter"><pre><span class="line">1</span><br><span class="line">2</span>'
    '<br></pre></td><td class="code"><pre><span class="line">a</span><br><span class="line">b'
    "</span><br></pre></td></tr></table>"
)
GITHUB = (
    '<table class="highlight js-file-line-container">\n'
    '<tr>\n<td class="blob-num" data-line-number="1"></td>\n<td class="blob-code">def f():</td>\n'
    '</tr>\n<tr>\n<td class="blob-num" data-line-number="2"></td>\n'
    '<td class="blob-code">    pass</td>\n</tr></table>'
)
DOXYGEN = (
    '<div class="fragment"><div class="line"><span class="lineno">    1</span>&#160;int f() {</div>'
    "\n"
    '<div class="line"> </div><div class="line">&#160;&#160;x;</div><div class="line">&#160;}</div>'
    '<div class="ttc"><div class="ttname">a tooltip</div></div></div>'
)
SHIKI = (
    '<pre class="shiki"><code><span class="line"><span style="color:red">a</span></span>\n'
    '<span class="line"></span>\n<span class="line">b</span></code></pre>'
)
SHIKI_GRID = (
    '<pre style="display:grid"><code><span class="line">a</span><span class="line"></span>'
    '<span class="line">b</span></code></pre>'
)
DOCUSAURUS = (
    '<pre class="prism-code"><code><span class="token-line">a<br></span><span class="token-line">'
    '<br></span><span class="token-line">b<br></span></code></pre>'
)
HLJS_LN = (
    '<pre><code><table class="hljs-ln"><tbody><tr><td class="hljs-ln-line hljs-ln-numbers">'
    '<div class="hljs-ln-n" data-line-number="1"></div></td>'
    '<td class="hljs-ln-line hljs-ln-code">a {</td></tr>'
    '<tr><td class="hljs-ln-line hljs-ln-numbers">2</td>'
    '<td class="hljs-ln-line hljs-ln-code">}</td></tr></table></code></pre>'
)
CHROMA = (
    '<pre class="chroma"><code><span class="line"><span class="ln">1</span><span class="cl">a\n'
    '</span></span><span class="line"><span class="ln">2</span><span class="cl">b\n</span></span>'
    "</code></pre>"
)
REACT = (
    "<pre><code><span class='react-syntax-highlighter-line-number'>1\n</span><span>a\n</span>"
    "<span class='linenumber'>2</span><span>b</span></code></pre>"
)
EDITOR = (
    '<div class="CodeMirror"><div class="CodeMirror-gutter"></div><div class="CodeMirror-code">'
    '<div><div class="CodeMirror-linenumber">1</div><pre class="CodeMirror-line">a</pre></div>'
    '<div><div class="CodeMirror-linenumber">2</div><pre class="CodeMirror-line">b</pre></div>'
    "</div></div>"
)
UNNAMED_NUMBERS = (
    "<pre><div><span>1</span><div>a</div></div><div><span>2</span><div>b</div></div></pre>"
)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<pre>a\n  b\n\n\nc  \n</pre>", "a\n  b\n\n\nc"),
        ("<pre>\n    a\n      b\n</pre>", "a\n  b"),
        ("<pre>a<br>b<br/>c</pre>", "a\nb\nc"),
        ("<pre>a&nbsp;b&#8203;c\r\nd</pre>", "a bc\nd"),
        ("<pre><code><span class=k>x</span> <a href=u>= </a>1</code></pre>", "x = 1"),
        ("<pre>$ ls\n<span class=go>file</span></pre>", "$ ls\nfile"),
        ("<pre><ol class=linenums><li>a<li>  b</ol></pre>", "a\n  b"),
        ("<pre><button>Copy</button>a<div class=copy-btn>Copy</div></pre>", "a"),
        ("<pre><a class='test-arrow'>Run</a><code>a</code></pre>", "a"),
        ("<pre><div class=language-id>ts</div><code>a</code></pre>", "a"),
        ("<pre><code class='language-js line-numbers'>a\nb</code></pre>", "a\nb"),
        ("<pre>a<script>x</script><span hidden>y</span></pre>", "a"),
        ("<pre><span class=ln-highlight>a words</span></pre>", "a words"),
        (PYGMENTS, "if x:\n    y"),
        (ROUGE, "a\nb"),
        (HEXO, "a\nb"),
        (GITHUB, "def f():\n    pass"),
        (DOXYGEN, "int f() {\n\n x;\n}"),
        (SHIKI, "a\n\nb"),
        (SHIKI_GRID, "a\n\nb"),
        (DOCUSAURUS, "a\n\nb"),
        (HLJS_LN, "a {\n}"),
        (CHROMA, "a\nb"),
        (REACT, "a\nb"),
        (EDITOR, "a\nb"),
        (UNNAMED_NUMBERS, "a\nb"),
        ("<pre><pre>a</pre></pre>", "a"),
        ("<xmp><b></xmp>", "<b>"),
        ("<pre></pre>", ""),
    ],
    ids=[
        "plain", "indented", "br", "spaces", "spans", "prompt", "list", "buttons", "rustdoc",
        "label", "prism's numbers", "hidden", "no gutter", "pygments", "rouge", "hexo", "github",
        "doxygen", "shiki", "shiki in a grid", "docusaurus", "highlight.js numbers", "chroma",
        "react", "codemirror", "numbers without a class", "pre in pre", "xmp", "empty",
    ],
)  # fmt: skip
def test_code_is_told_exactly(html: str, text: str) -> None:
    node = block(html)
    assert is_code_block(node)
    assert code_text(node) == text


@pytest.mark.parametrize(
    ("html", "is_code"),
    [
        ("<div class=highlight><code>a\nb</code></div>", True),
        ("<div class=highlight><code>a</code></div>", False),
        ("<div class=highlight><pre>a</pre></div>", False),
        ("<div class=fragment><p>a</p></div>", False),
        ("<table><tr><td class=gutter>News</td><td class=code>a</td></tr></table>", False),
        ("<table><tr><td>1</td><td>a</td></tr></table>", False),
        ("<textarea>a\nb</textarea>", False),
        ("<code>a</code>", False),
        ("<div>a</div>", False),
    ],
)
def test_only_code_is_a_block_of_code(html: str, *, is_code: bool) -> None:
    assert is_code_block(block(html)) is is_code


@pytest.mark.parametrize(
    ("html", "name"),
    [
        ("<pre class='language-py'>", "python"),
        ("<pre><code class='hljs lang-js'></code></pre>", "javascript"),
        ("<pre><code class='hljs typescript'></code></pre>", "typescript"),
        ("<pre class='brush: csharp; toolbar: false'>", "csharp"),
        ("<pre class='sourceCode haskell'>", "haskell"),
        ("<pre class='prettyprint lang-c'>", "c"),
        ("<pre class='src src-sh'>", "bash"),
        ("<pre class='rust rust-example-rendered'>", "rust"),
        ("<pre data-lang='C++'>", "cpp"),
        ("<div class='highlight-python3 notranslate'><div class='highlight'><pre>", "python"),
        ("<div class='highlight highlight-source-shell'><pre>", "bash"),
        ("<div class='language-ruby highlighter-rouge'><div class='highlight'><pre>", "ruby"),
        ("<div class='mw-highlight mw-highlight-lang-lua mw-content-ltr'><pre>", "lua"),
        ("<figure class='highlight go'><table><tr><td class=code><pre>", "go"),
        ("<div data-language='yaml'><div><pre>", "yaml"),
        ("<div data-lang='de' class='lang-de'><pre>", ""),
        ("<div class='highlight-default notranslate'><pre>", ""),
        ("<div class='highlight-wrapper'><pre>", ""),
        ("<pre class='text'>", ""),
        ("<pre><code class='language-plaintext'></code></pre>", ""),
        ("<pre class='wp-block-code'>", ""),
        ("<section class='language-py'><div><pre>", ""),
    ],
)
def test_the_language_is_what_the_markup_says(html: str, name: str) -> None:
    assert language(inner(html, "pre")) == name
