"""Names of programming languages, as pages write them in classes and attributes."""

from __future__ import annotations

NO_LANGUAGE = frozenset(
    {
        "auto", "code", "console-output", "default", "example", "ignore", "literal", "no-highlight",
        "nohighlight", "none", "null", "output", "plain", "plain-text", "plaintext", "raw",
        "text", "txt", "undefined", "unknown",
    }
)  # fmt: skip
"""What pages write where they mean none."""

NOT_A_LANGUAGE = frozenset(
    {
        "background", "block", "body", "box", "button", "caption", "code-block", "container",
        "content", "copy", "dark", "en", "group", "header", "highlighter", "id", "inner", "label",
        "light", "line",
        "lines", "linenos", "name", "notranslate", "pre", "select", "selector", "switcher", "tab",
        "tabs", "tag", "title", "toolbar", "view", "wrap", "wrapper",
    }
)  # fmt: skip
"""What follows "highlight-", "language-" and the like in classes that are about layout."""

ALIASES = {
    "argdown": "markdown", "bat": "batch", "c#": "csharp", "c++": "cpp", "cc": "cpp",
    "cjs": "javascript", "clj": "clojure", "cmd": "batch", "coffee": "coffeescript",
    "console": "console", "cplusplus": "cpp", "cs": "csharp", "cxx": "cpp", "docker": "dockerfile",
    "dos": "batch", "doscon": "batch", "ecmascript": "javascript", "emacs-lisp": "elisp",
    "erl": "erlang", "ex": "elixir", "exs": "elixir", "f#": "fsharp", "fs": "fsharp",
    "gnumakefile": "makefile", "go-html-template": "html", "golang": "go", "gql": "graphql",
    "hs": "haskell", "htm": "html", "html5": "html", "ipython": "python", "ipython3": "python",
    "javascriptreact": "jsx", "js": "javascript", "json5": "json", "jsonc": "json", "kt": "kotlin",
    "kts": "kotlin", "make": "makefile", "markup": "html", "md": "markdown", "mjs": "javascript",
    "mkd": "markdown", "ml": "ocaml", "node": "javascript", "obj-c": "objc", "objective-c": "objc",
    "objectivec": "objc", "pgsql": "sql", "pl": "perl", "plpgsql": "sql", "posh": "powershell",
    "postgres": "sql", "postgresql": "sql", "ps1": "powershell", "psql": "sql",
    "pwsh": "powershell", "py": "python", "py3": "python", "py3tb": "python", "pycon": "python",
    "pycon3": "python",
    "pytb": "python", "python2": "python", "python3": "python", "rb": "ruby", "rest": "rst",
    "restructuredtext": "rst", "rs": "rust", "sh": "bash", "shell": "bash",
    "shell-session": "console", "shellsession": "console", "shellscript": "bash",
    "terminal": "console", "ts": "typescript", "typescriptreact": "tsx",
    "vb.net": "vbnet", "vim script": "vim", "viml": "vim", "xhtml": "html", "yml": "yaml",
    "zsh": "bash",
}  # fmt: skip
"""Other spellings, and what this project writes for them."""

NAMES = frozenset(ALIASES) - {"console", "cs", "ex", "fs", "make", "node", "rest"} | frozenset(
    {
        "ada", "apache", "apacheconf", "applescript", "arduino", "asciidoc", "asm", "awk", "bash",
        "batch", "bibtex", "c", "clojure", "cmake", "cobol", "coffeescript", "cpp", "csharp", "css",
        "csv", "cuda", "cypher", "dart", "delphi", "diff", "dockerfile", "elisp", "elixir", "elm",
        "erlang", "fish", "fortran", "fsharp", "gdscript", "glsl", "go", "gradle", "graphql",
        "groovy", "haml", "handlebars", "haskell", "hcl", "hlsl", "html", "http", "ini", "java",
        "javascript", "jinja", "jinja2", "json", "jsx", "julia", "kotlin", "latex", "less",
        "liquid", "lisp", "lua", "makefile", "markdown", "mathematica", "matlab", "mermaid",
        "nasm", "nginx",
        "nim", "nix", "objc", "ocaml", "pascal", "perl", "php", "powershell", "prolog",
        "properties", "proto", "protobuf", "puppet", "purescript", "python", "qml", "r", "racket",
        "reason", "rst", "ruby", "rust", "sass", "scala", "scheme", "scss", "smalltalk",
        "solidity", "sparql", "sql", "stylus", "svelte", "swift", "systemd", "tcl", "terraform",
        "tex", "toml", "tsx", "twig", "typescript", "vala", "vbnet", "verilog", "vhdl", "vim",
        "vue", "wasm", "xml", "xquery", "yaml", "zig",
    }
)  # fmt: skip
"""Words that name a language where they stand alone, as a class of a block of code."""


def normal_language(name: str) -> str:
    """The common name of what a page calls `name`, lower case; empty where that is none."""
    name = name.strip().strip(".{}\"'").lower()
    if name in NO_LANGUAGE:
        return ""
    return ALIASES.get(name, name)
