"""The texts that are set: a short report, slides, and a long paper of made-up sentences."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from scripts.typesetting.model import Code, Heading, Items, Linked, Noted, Paragraph, Table, Text

if TYPE_CHECKING:
    from scripts.typesetting.model import Block

PROGRAM = Code(
    'def fare(way):\n    if way > 3:\n        return "far & wide"\n\n    return way * 2',
    "python",
)
"""Short lines, since it stands in a narrow column too; with an empty one, and signs of markup."""

REPORT = Text(
    title="The harbour ferry in numbers",
    author="Ada Fährmann",
    date="2026-05-17",
    blocks=(
        Heading(1, "Why we counted"),
        Paragraph(
            "Nobody knew how many people cross the harbour by ferry, so for one year every "
            "crossing was counted by hand. The bridge was closed in March, and the ferry became "
            "the only way across for those without a car."
        ),
        Paragraph(
            "The counting sheets were kept in a biscuit tin on the lower deck. Three of them fell "
            "into the water and were dried on the engine, which is why April has gaps."
        ),
        Heading(1, "What was found"),
        Heading(2, "Passengers by season"),
        Table(
            (
                ("Season", "Crossings", "Passengers", "Bicycles"),
                ("Spring", "412", "18,230", "2,904"),
                ("Summer", "655", "41,077", "9,310"),
                ("Autumn", "398", "16,450", "1,122"),
                ("Winter", "201", "7,318", "87"),
            ),
            caption="Crossings between two closures of the bridge.",
        ),
        Heading(2, "Complaints"),
        Paragraph("Most complaints were about the café, and these came up again and again:"),
        Items(
            (
                "the coffee was cold before the ferry had left",
                "the benches on the upper deck stayed wet until noon",
                "gulls took the sandwiches",
            )
        ),
        Heading(1, "What it costs"),
        Paragraph(
            "A crossing costs 46 € in diesel and 112 € in wages. Tickets bring in 131 €, so each "
            "one loses money, and a full ferry loses less than an empty one."
        ),
        Table(
            (
                ("Item", "Cost per crossing"),
                ("Diesel", "46 €"),
                ("Wages", "112 €"),
                ("Repairs", "19 €"),
            ),
        ),
        Paragraph(
            "Whoever wants to look at the sheets may do so on Tuesdays. The biscuit tin stays "
            "where it is."
        ),
        Heading(1, "How it was added up"),
        Linked(
            "Every fare is counted by a rule that the",
            "harbour office",
            "https://harbour.example/fares",
            " has published, and it is a short one.",
        ),
        PROGRAM,
        Noted(
            "Nobody has found a mistake in it yet.",
            "But for the gulls, which pay nothing.",
        ),
    ),
)

SLIDES = Text(
    title="A ferry that pays",
    author="Ada Fährmann",
    date="2026-06-02",
    blocks=(
        Heading(1, "Where the money goes"),
        Items(("diesel and wages", "repairs after every storm")),
        Heading(1, "Costs on one page"),
        Table((("Item", "Euro"), ("Diesel", "46"), ("Wages", "112"))),
        Heading(1, "What to do"),
        Items(("raise the fare by a fifth", "sell better coffee")),
    ),
)

SHEETS = dict(
    zip(
        ("Seasons", "Costs"),
        (block for block in REPORT.blocks if isinstance(block, Table)),
        strict=True,
    )
)
"""The tables of the report, each to be a sheet of its own."""

_ADJECTIVES = [
    "international",
    "administrative",
    "well-known",
    "uncharacteristic",
    "hydrodynamic",
    "considerable",
    "asynchronous",
    "representative",
    "self-contained",
    "experimental",
    "multidimensional",
    "state-of-the-art",
    "environmental",
    "incomprehensible",
    "straightforward",
    "quantitative",
    "interdependent",
    "official",
]
_NOUNS = [
    "measurement",
    "infrastructure",
    "transformation",
    "configuration",
    "approximation",
    "communication",
    "responsibility",
    "understanding",
    "synchronisation",
    "efficiency",
    "classification",
    "observation",
    "environment",
    "difference",
    "telecommunication",
    "affiliation",
    "crossing",
    "counting",
    "harbour",
    "workflow",
]
_VERBS = [
    "characterises",
    "establishes",
    "contradicts",
    "approximates",
    "outperforms",
    "demonstrates",
    "necessitates",
    "reorganises",
    "differentiates",
    "oversimplifies",
    "re-examines",
    "incorporates",
]
_PLACES = [
    "within",
    "throughout",
    "alongside",
    "underneath",
    "notwithstanding",
    "concerning",
    "beyond",
]
_OPENINGS = ("", "", "", "Nevertheless, ", "Consequently, ", "In particular, ", "Surprisingly, ")

_SECTIONS = (
    ("Introduction", ("Motivation", "Contributions")),
    ("Related Observations", ("Classification of Ferries", "Approximate Counting")),
    ("Method", ("Measurement Infrastructure", "Configuration", "Synchronisation of Sheets")),
    ("Experiments", ("Environment", "Efficiency of Counting", "Ablation")),
    ("Results", ("Main Comparison", "Differences by Season", "Failures")),
    ("Discussion", ("Limitations", "Responsibility")),
    ("Conclusion", ()),
    ("Acknowledgements", ()),
)


def paper(*, seed: int = 7, paragraphs: int = 4) -> Text:
    """A paper of made-up sentences; with four paragraphs a part it takes seventeen pages."""
    chance = random.Random(seed)  # noqa: S311 - made-up prose, no secret
    blocks: list[Block] = []
    for title, parts in _SECTIONS:
        blocks.append(Heading(1, title))
        blocks.extend(_prose(chance, paragraphs // 2))
        for part in parts:
            blocks.append(Heading(2, part))
            blocks.extend(_prose(chance, paragraphs))
            if part in {"Configuration", "Ablation", "Efficiency of Counting", "Failures"}:
                blocks.append(_table(chance, 9, 4))
            if part in {"Main Comparison", "Differences by Season"}:
                blocks.append(_table(chance, 14, 5))
            blocks.extend(_prose(chance, 1))
        if title == "Method":
            blocks.append(Items(tuple(_sentence(chance) for _ in range(3))))
            blocks.append(PROGRAM)
    return Text(
        title="Counting Considerable Crossings: A Representative Observation",
        author="Ada Fährmann and Otto Lotse",
        date="2026-04-01",
        blocks=tuple(blocks),
    )


def _prose(chance: random.Random, count: int) -> list[Paragraph]:
    return [
        Paragraph(" ".join(_sentence(chance) for _ in range(chance.randint(4, 7))))
        for _ in range(count)
    ]


def _sentence(chance: random.Random) -> str:
    opening = chance.choice(_OPENINGS)
    words = [
        "the",
        chance.choice(_ADJECTIVES),
        chance.choice(_NOUNS),
        chance.choice(_VERBS),
        "an" if chance.random() < 0.3 else "every",  # noqa: PLR2004
        chance.choice(_ADJECTIVES),
        chance.choice(_NOUNS),
        chance.choice(_PLACES),
        "the",
        chance.choice(_ADJECTIVES),
        chance.choice(_NOUNS),
    ]
    text = opening + " ".join(words)
    return text[0].upper() + text[1:] + "."


def _table(chance: random.Random, rows: int, columns: int) -> Table:
    header = ("Model", "Crossings", "Error", "Seconds", "Memory")[:columns]
    names = [
        f"{chance.choice(('Gull', 'Heron', 'Tern', 'Swan'))}-{chance.randint(1, 40)}"
        for _ in range(rows)
    ]
    body = tuple(
        (name, *(f"{chance.uniform(0, 99):.1f}" for _ in range(columns - 1))) for name in names
    )
    return Table((header, *body), caption=_sentence(chance))
