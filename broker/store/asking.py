"""Words that ask and say nothing of what is asked about: "how do I …", « qu'est-ce que … ».

Data, a line or two a language. A word that means something in another of the languages is not here
(French "comment", German "mit", which is a licence). Chinese, Japanese, Korean and Thai set no
spaces around such words, so there they are found as parts of the text.
"""

# ruff: noqa: RUF001 - letters and marks of other scripts are what it is about

from __future__ import annotations

import re

_WORDS = (
    # English
    "a about am an and any are as at be been by can could did do does for from had has have how "
    "i if in is it its me my of on or our shall should so some tell that the their them then "
    "there these they this those to was we were what whats when where which who whom whose why "
    "will with would you your s t m re ve ll "
    # German
    "wie wann wer wen wem wessen warum wieso weshalb woher wohin welche welcher welches welchen "
    "ist sind kann können ich der das dem ein eine einen einem einer und oder für von im "
    "zu zum zur auf bei gibt "
    # French
    "quand où pourquoi quel quelle quels quelles qui que quoi est sont ce cela le la les "
    "un une des du de et ou dans par avec je il elle peut l qu "
    # Spanish, Portuguese, Italian
    "cómo qué cuándo dónde quién cuál cuáles por el los las una unos en con para se puede "
    "como quando onde quem qual quais porque é são o os as um uma no na com posso pode "
    "cosa perché quale quali sono il lo gli di da per nel nella si può "
    # Dutch, Polish
    "hoe waarom wanneer wie waar welke wat zijn het een met voor ik jak kiedy gdzie kto "
    "dlaczego czy co jest są w z na do "
    # Russian, Ukrainian
    "как что когда где кто почему зачем какой какая какие какое чем ли это в на и с по для я у "
    "як що коли де хто чому який яка які це та "
    # Turkish, Arabic, Hebrew, Hindi
    "nasıl ne nerede neden hangi mi mı mu mü ve bir için "
    "كيف ما ماذا متى أين من لماذا هل أي هو هي في على إلى عن "
    "איך מה מתי איפה מי למה האם של את "
    "क्या कैसे कब कहाँ कौन क्यों है हैं का की के में को से"
)
_ASKING = frozenset(_WORDS.split())

_RUNS = re.compile(
    # The longer ones first: the first that fits is taken.
    "为什么|為什麼|怎么样|怎麼樣|怎么办|怎麼辦|是什么|是什麼|什么是|什麼是|什么|什麼|怎么|怎麼|怎样|怎樣"
    "|如何|哪些|哪个|哪個|哪里|哪裡|多少|吗|嗎|呢"
    "|どうすれば|どうやって|どのように|どうして|なぜ|とは何ですか|とは何か|は何ですか|何ですか|ですか|ますか"
    "|とは|って何|どこで|どこに|いつから"
    "|무엇인가요|무엇입니까|무엇인가|무엇을|무엇|어떻게|왜|언제|어디서|어디에|인가요|입니까|하나요"
    "|อย่างไร|ยังไง|คืออะไร|อะไร|ทำไม|เมื่อไหร่|เมื่อไร|ที่ไหน|หรือไม่|ไหม"
)


def is_asking(word: str) -> bool:
    """Whether a word, in lower case, only makes a question of what stands around it."""
    return word in _ASKING


def without_asking(text: str) -> str:
    """The text with a space for each such run of letters in the scripts that set no spaces."""
    return text if text.isascii() else _RUNS.sub(" ", text)
