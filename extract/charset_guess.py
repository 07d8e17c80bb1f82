"""Which legacy encoding a page without a usable declaration is in.

Every candidate reads the same short sample, and the reading that looks most like a language wins:
the share of its non-ASCII characters that are frequent in that language, less what no language
shows (private characters, capitals inside words, letters of another script glued to Latin ones).
charset-normalizer 3.5.3 was measured first: of 2360 lists of three to sixty country and language
names in 22 languages it read 1720 rightly, this table 2234 (0.73 against 0.95); of 637 sentences
from saved pages in ten encodings 544 and 627 (0.85 against 0.98). Its import takes 50 ms.
"""

# ruff: noqa: RUF001 - signs of many scripts

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

_SIMPLIFIED = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去"
    "法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将"
    "两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水"
    "名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空"
    "决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带"
    "导争运消息网站联系版商讯图片技研究服务企经济华京视频购买客户免费登录首页更多查载"
)
_TRADITIONAL = (
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去"
    "法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將"
    "兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員解水"
    "名真論處走義各入幾口認條平系氣題活爾更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件計管期市直德資命山金指克許統區保至隊形社便空"
    "決治展馬科司五基眼書非則聽白卻界達光放強即像難且權思王象完設式色路記南品住告類求據程北邊死張該交規萬取拉格望覺術領共確傳師觀清今切院讓識候帶"
    "導爭運消息網站聯繫版商訊圖片技研究服務企經濟華京視頻購買客戶免費登入首頁更多查載台灣"
)
_KANJI = (
    "日一国会人年大十二本中長出三同時政事自行社見月分議後前民生連五発間対上部東者党地合市業内相方四定今回新場金員九入選立開手米力学問高"
    "代明実円関決子動京全目表戦経通外最言氏現理調体化田当八六約主題下首意法不来作性的要用制治度務強気小七成期公野協取都和統以機平総加山思家話世受"
    "区領多県続進正安設保改数記院女初北午指権心界支第産結百派点教報済書府活原先共得解名交資予川向際査勝面委告軍文反元重近千考判認画海参売利組知案"
    "道信策集在件団別物側任引使求所次水半品昨論計死官増係感特情投示変打男基私各始島直両朝革価式確村提運終挙果西勢減台広容必応演電歳住争談能無再位"
    "置企真流格有疑口過局少放税検藤町常校料沢裁状工建語球営空職証土与急止送援供可役構木割聞身費付施切由説転食比難防補車優夫研収断井何南石足違消境"
    "神番規術護展態導備宅害配副算視条幹独警宮究育席輸訪楽起万着乗店覧索一"
)
_HANGUL = (
    "이다는을의에가하고지로한기리사은도를어자시일인대정수나서으해아라과보부스있장전제주그상구원들게여고비면세마만경성조트소공무화동치유"
    "적관국연용문진신우내발개계미방회안어야할것교실분와요생위중통당모선크드민업학니래재습저합간된산법체요관력러행려거입행터오네되까등명차양음물단급레"
    "영속각했심금디최설결프타식노강년월검색록목메뉴뉴스울말포년람본작현현반복확포클릭출회제품"
)
_ARABIC = "اليمونرتبةعدسفهحقكجأإىپچکگی"
_THAI = "กขคงจชซญดตถทธนบปผพภมยรลวศษสหอฮะัาำิีึืุูเแโใไ่้์๊็ๆ"
_RUSSIAN = "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэёіїєґў"
_GREEK = "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊ"
_HEBREW = "אבגדהוזחטיךכלםמןנסעףפץצקרשת"

NEUTRAL = frozenset(
    "\xa0©®™°·•…–—―‘’‚“”„«»‹›§±×÷¶€£¥²³¹¼½¾´¨ªº№†‡‰¡¿"
    "、。，．・：；？！（）「」『』【】《》〈〉\u3000～〜●○◆■□▲▼★☆※→←↑↓─━│┃"
)
"""Signs that pages of many languages use: they speak for no reading and against none."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """One way to read the sample: a codec, and what its language writes."""

    codec: str
    languages: frozenset[str]
    common: frozenset[str]
    rare: frozenset[str]
    """What the language writes less often."""
    latin: bool
    bias: float
    """Added to the score: how much likelier this reading is from the start."""


@cache
def _readings() -> tuple[_Reading, ...]:
    japanese = _KANJI + _span(0x3041, 0x3094) + _span(0x30A1, 0x30FB) + "ー"
    arabic = _span(0x0621, 0x063B) + _span(0x0641, 0x064B)
    return (
        _eastern("gb18030", "zh", _SIMPLIFIED, _rows("gb2312", 0xB0, 0xD8)),
        _eastern("big5hkscs", "zh", _TRADITIONAL, _rows("big5", 0xA4, 0xC7)),
        _eastern("cp932", "ja", japanese, ""),
        _eastern("euc_jis_2004", "ja", japanese, ""),
        _eastern("cp949", "ko", _HANGUL, _rows("euc_kr", 0xB0, 0xC9)),
        _script("cp1251", "ru uk be bg mk sr", _RUSSIAN, _RUSSIAN.upper()),
        _script("koi8-u", "ru uk", _RUSSIAN, _RUSSIAN.upper(), -0.02),
        _script("cp866", "ru", _RUSSIAN, _RUSSIAN.upper(), -0.1),
        _script("iso8859-5", "ru bg", _RUSSIAN, _RUSSIAN.upper(), -0.05),
        _script("cp1253", "el", _GREEK, _GREEK.upper()),
        _script("cp1255", "he iw yi", _HEBREW, "", 0.05),
        _script("cp1256", "ar fa ur", _ARABIC, arabic),
        _script("cp874", "th", _THAI, "", -0.1),
        _latin("cp1252", "fr", "éèêàçùâîôûëïœæ", 0.06),
        _latin("cp1252", "de", "äöüß", 0.06),
        _latin("cp1252", "es ca gl", "áéíóúñüç", 0.06),
        _latin("cp1252", "pt", "ãõáâàéêíóôúç", 0.06),
        _latin("cp1252", "it", "àèéìòù", 0.06),
        _latin("cp1252", "sv da nb no fi is nl", "åäöæøéëï", 0.06),
        _latin("cp1250", "pl", "ąćęłńóśźż"),
        _latin("cp1250", "cs sk", "áčďéěíňóřšťúůýžľĺŕôä"),
        _latin("iso8859-2", "cs sk pl", "áčďéěíňóřšťúůýžľôäąćęłńśźż", -0.03),
        _latin("cp1250", "hu", "áéíóöőúüű", 0.07),
        _latin("iso8859-2", "hu", "áéíóöőúüű", -0.03),
        _latin("cp1250", "ro", "ăâîşţ"),
        _latin("cp1250", "hr sl bs sr", "čćđšž"),
        _latin("cp1254", "tr az", "çğıöşüİâ"),
        _latin("cp1257", "lt lv et", "ąčęėįšųūžāēģīķļņõäöü"),
    )


def _eastern(codec: str, language: str, common: str, rare: str) -> _Reading:
    # Two bytes seldom make a character of these by chance, hence the bias.
    return _Reading(
        codec, frozenset({language}), frozenset(common), frozenset(rare), latin=False, bias=0.15
    )


def _script(codec: str, languages: str, common: str, rare: str, bias: float = 0.0) -> _Reading:
    return _Reading(
        codec,
        frozenset(languages.split()),
        frozenset(common),
        frozenset(rare),
        latin=False,
        bias=bias,
    )


def _latin(codec: str, languages: str, letters: str, bias: float = 0.0) -> _Reading:
    letters += letters.upper()
    return _Reading(
        codec, frozenset(languages.split()), frozenset(letters), frozenset(), latin=True, bias=bias
    )


def _span(first: int, end: int) -> str:
    return "".join(map(chr, range(first, end)))


def _rows(codec: str, first: int, end: int) -> str:
    """The characters of a national standard's level of frequent ones, by their first bytes."""
    pairs = (bytes((lead, trail)) for lead in range(first, end) for trail in range(0xA1, 0xFF))
    return "".join(pair.decode(codec, "ignore") for pair in pairs)


_WRONG = re.compile(r"[\ufffd\x80-\x9f\ue000-\uf8ff\uff61-\uff9f\U000f0000-\U0010ffff]")
_LATIN_TOUCHES = re.compile(r"[A-Za-z][^\x00-\x7f]|[^\x00-\x7f][A-Za-z]")
_FINAL_INSIDE = re.compile(r"[ךםןףץς](?=[^\W\d_])")
_ALONE = re.compile(r"(?<![^\W\d_])[^\x00-\x7f\W\d_](?![^\W\d_])")
_LATIN_WORDS = frozenset("àáâãèéêìíîòóôùúåæøöÀÁÂÈÉÊÍÓÒÔÅÆØÖ")
"""Letters with marks that are words by themselves somewhere."""
_LONG_RUN = re.compile(r"[^\x00-\xa0‘’“”–—…«»]{6,}")
_SIGN_INSIDE = re.compile(r"[^\W\d_ªº][²³¹¼½¾¶§±°·©®«»£¥¤¦¬¨´¿¡ºª][^\W\d_ªº]|(?<!\w)[ªº][a-z]")
_HIGH_BYTES = bytes(range(0x80, 0x100))
_RARE_WEIGHT = 0.5
_MARKS_ALONE = 0.9
_DECLARED_BONUS = 0.8
_LANGUAGE_BONUS = 0.15
_LEAST = 0.3
"""Below this no reading is better than windows-1252, what browsers fall back to."""


@dataclass(frozen=True, slots=True)
class _Text:
    """What one codec makes of the sample, counted."""

    foreign: Counter[str]
    """Characters that are neither ASCII nor neutral."""
    total: int
    wrong_if_latin: float
    wrong_else: float


def guess(sample: bytes, *, declared: str | None = None, language: str = "") -> str:
    """The codec that makes the most sense of `sample`, pieces of text with non-ASCII bytes.

    `declared` is a codec the page names (it wins unless another makes much more sense), `language`
    the two letters of a language it declares; both may be unknown. Samples of more than a few
    kilobytes bring no further certainty. Falls back to `declared`, then to windows-1252.
    """
    # One odd byte is a letter of every language: the less there is, the more the label counts.
    doubt = 2.0 / max(1, len(sample) - len(sample.translate(None, _HIGH_BYTES)))
    best, best_score = declared or "cp1252", _LEAST
    texts: dict[str, _Text] = {}
    for reading in _readings():
        if reading.codec not in texts:
            texts[reading.codec] = _text(sample.decode(reading.codec, "replace"))
        score = _score(texts[reading.codec], reading)
        score += (_DECLARED_BONUS + doubt) * (reading.codec == declared)
        score += _LANGUAGE_BONUS * (language in reading.languages)
        if score > best_score:
            best, best_score = reading.codec, score
    return best


def _text(text: str) -> _Text:
    foreign = Counter(text)
    for char in [char for char in foreign if char <= "\x7f" or char in NEUTRAL]:
        del foreign[char]
    wrong = 2.0 * len(_WRONG.findall(text)) + len(_SIGN_INSIDE.findall(text))
    capitals = _capitals_inside(text)
    # Words of Latin script are mostly ASCII: long runs of letters with marks belong to another.
    alone = _ALONE.findall(text)
    latin = sum(map(len, _LONG_RUN.findall(text))) + 0.5 * capitals
    latin += 0.7 * sum(letter not in _LATIN_WORDS for letter in alone)
    other = 0.7 * len(_LATIN_TOUCHES.findall(text)) + 0.7 * capitals
    other += len(_FINAL_INSIDE.findall(text)) + 0.7 * len(alone)
    return _Text(foreign, foreign.total(), wrong + latin, wrong + other)


def _score(text: _Text, reading: _Reading) -> float:
    """Between about -3 and 1: how much `text` looks like the language of `reading`."""
    if not text.total:  # dashes and quotation marks alone are those of a Windows page
        return _MARKS_ALONE if reading.codec == "cp1252" else 0.0
    good = 0.0
    for char, count in text.foreign.items():
        if char in reading.common:
            good += count
        elif char in reading.rare:
            good += _RARE_WEIGHT * count
    bad = text.wrong_if_latin if reading.latin else text.wrong_else
    return (good - bad) / text.total + reading.bias


def _capitals_inside(text: str) -> int:
    return sum(
        right > "\x7f" and right.isupper() and left.islower() for left, right in pairwise(text)
    )
