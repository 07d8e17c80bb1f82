"""The same text as LaTeX, HTML and Markdown, for the programs that set it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from scripts.typesetting.model import Code, Heading, Items, Linked, Noted, Paragraph, Table

if TYPE_CHECKING:
    from scripts.typesetting.model import Block, Prose, Text

_LATEX = r"""\documentclass[10pt,twocolumn]{article}
\usepackage[T1]{fontenc}\usepackage[utf8]{inputenc}\usepackage{lmodern,booktabs,eurosym}
\usepackage[hidelinks,pdftitle={%s},pdfauthor={%s}]{hyperref}
\title{%s}\author{%s}\date{%s}
\begin{document}\maketitle
%s
\end{document}
"""
_STYLE = """
body { font: 10.5pt/1.35 "DejaVu Serif", serif; %s }
table { border-collapse: collapse; margin: 1em 0 } td, th { %s padding: 3px 8px }
h1 { column-span: all; text-align: left }
"""
_TWO_COLUMNS = "columns: 2; column-gap: 2em; text-align: justify; hyphens: auto;"
_BORDERED = "border: 1px solid #444;"
_NOTED = (
    '<p>{0}<a class="sdfootnoteanc" name="sdfootnote1anc" href="#sdfootnote1sym">'
    "<sup>1</sup></a></p>"
    '<div id="sdfootnote1"><p><a class="sdfootnotesym" name="sdfootnote1sym" '
    'href="#sdfootnote1anc">1</a> {1}</p></div>'
)
"""As LibreOffice writes a footnote, and knows it again."""


def latex(text: Text) -> str:
    """For pdfLaTeX: two columns, tables with three rules."""
    title, author = map(_tex, (text.title, text.author))
    body = "\n\n".join(_latex(block) for block in text.blocks)
    return _LATEX % (title, author, title, author, text.date, body)


def html(text: Text, *, columns: bool = False, bordered: bool = True) -> str:
    """For Chromium and LibreOffice."""
    style = _STYLE % (_TWO_COLUMNS if columns else "", _BORDERED if bordered else "")
    body = "\n".join(_html(block) for block in text.blocks)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta name="author" content="{escape(text.author)}">'
        f"<title>{escape(text.title)}</title><style>{style}</style></head>"
        f"<body><h1>{escape(text.title)}</h1>\n{body}\n</body></html>"
    )


def markdown(text: Text, *, depth: int = 0) -> str:
    """For pandoc; sections begin at heading level 1 + `depth`."""
    front = f"---\ntitle: {text.title}\nauthor: {text.author}\ndate: {text.date}\nlang: en\n---\n"
    return front + "\n\n".join(_markdown(block, depth) for block in text.blocks) + "\n"


def _tex(text: str) -> str:
    return text.replace("€", r"\euro{}").replace("&", r"\&").replace("%", r"\%")


def _latex(block: Block) -> str:
    match block:
        case Heading(level, text):
            return rf"\{'sub' * (level - 1)}section{{{_tex(text)}}}"
        case Paragraph() | Linked() | Noted():
            return _latex_prose(block)
        case Code(text, _):
            return f"\\begin{{verbatim}}\n{text}\n\\end{{verbatim}}"
        case Items(texts):
            return "\n".join(
                (r"\begin{itemize}", *(rf"\item {_tex(text)}" for text in texts), r"\end{itemize}")
            )
        case Table(rows, caption):
            head, *body = [" & ".join(map(_tex, row)) + r" \\" for row in rows]
            return "\n".join(
                (
                    rf"\begin{{table}}[t]\centering\caption{{{_tex(caption)}}}",
                    rf"\begin{{tabular}}{{l{'r' * (len(rows[0]) - 1)}}}\toprule",
                    rf"{head}\midrule",
                    *body,
                    r"\bottomrule\end{tabular}\end{table}",
                )
            )


def _latex_prose(block: Prose) -> str:
    match block:
        case Paragraph(text):
            return _tex(text)
        case Linked(before, words, url, behind):
            return rf"{_tex(before)} \href{{{url}}}{{\emph{{{_tex(words)}}}}}{_tex(behind)}"
        case Noted(text, note):
            return rf"{_tex(text)}\footnote{{{_tex(note)}}}"


def _html(block: Block) -> str:
    match block:
        case Heading(level, text):
            return f"<h{level + 1}>{escape(text)}</h{level + 1}>"
        case Paragraph() | Linked() | Noted():
            return _html_prose(block)
        case Code(text, _):
            return f"<pre><code>{escape(text)}</code></pre>"
        case Items(texts):
            return "<ul>" + "".join(f"<li>{escape(text)}</li>" for text in texts) + "</ul>"
        case Table(rows, _):
            head = "".join(f"<th>{escape(cell)}</th>" for cell in rows[0])
            body = "".join(
                "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
                for row in rows[1:]
            )
            return f"<table><tr>{head}</tr>{body}</table>"


def _html_prose(block: Prose) -> str:
    match block:
        case Paragraph(text):
            return f"<p>{escape(text)}</p>"
        case Linked(before, words, url, behind):
            linked = f'<a href="{escape(url)}"><em>{escape(words)}</em></a>'
            return f"<p>{escape(before)} {linked}{escape(behind)}</p>"
        case Noted(text, note):
            return _NOTED.format(escape(text), escape(note))


def _markdown(block: Block, depth: int) -> str:
    match block:
        case Heading(level, text):
            return f"{'#' * (level + depth)} {text}"
        case Paragraph() | Linked() | Noted():
            return _markdown_prose(block)
        case Code(text, language):
            return f"```{language}\n{text}\n```"
        case Items(texts):
            return "\n".join(f"- {text}" for text in texts)
        case Table(rows, _):
            lines = ["| " + " | ".join(row) + " |" for row in rows]
            return "\n".join((lines[0], "|---" * len(rows[0]) + "|", *lines[1:]))


def _markdown_prose(block: Prose) -> str:
    match block:
        case Paragraph(text):
            return text
        case Linked(before, words, url, behind):
            return f"{before} [*{words}*]({url}){behind}"
        case Noted(text, note):
            return f"{text}[^1]\n\n[^1]: {note}"
