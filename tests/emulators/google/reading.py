"""An independent reader of result pages: by structure alone, for checking the pages themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import lxml.html

if TYPE_CHECKING:
    from tests.emulators.google.hits import Organic

Read = list[tuple[str, str, str]]
"""Title, link and snippet of each organic."""


def read_hits(page: str) -> Read:
    found = []
    for anchor in lxml.html.fromstring(page or "<p>").xpath('//*[@id="rso"]//a[.//h3][.//cite]'):
        if anchor.xpath('ancestor::*[contains(@class, "related-question-pair")]'):
            continue
        block = anchor.xpath('ancestor::*[contains(@class, "A6K0A")][1]')[0]
        texts = block.xpath('.//*[@class="hgKElc pOOWX" or contains(@class, "ITZIwc")]')
        for text in texts or block.xpath('.//*[contains(@class, "VwiC3b")]'):
            for more in text.xpath('.//a[@class="vzmbzf"]'):
                more.drop_tree()
            title = " ".join(anchor.xpath("string(.//h3)").split())
            found.append((title, anchor.get("href"), " ".join(text.text_content().split())))
    return found


def expected(hits: tuple[Organic, ...]) -> Read:
    return [(hit.title, hit.url, hit.snippet) for hit in hits]
