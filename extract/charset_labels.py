"""The names pages give to encodings, and the Python codec that reads each as browsers do.

After the WHATWG Encoding Standard (https://encoding.spec.whatwg.org/#names-and-labels): a label
stands for the superset that pages mean by it ("latin1" for windows-1252, "gb2312" for gb18030).
Spelling is taken more loosely than there: only letters and digits count.
"""

from __future__ import annotations

import re

# Squeezed labels by codec. Big5 is read with the Hong Kong set and EUC-JP with JIS X 0213, because
# pages use the vendors' rows that Python's plain codecs refuse. iso-8859-8 is read as windows-1255,
# its superset with vowel points.
_FAMILIES = {
    "utf-8": "utf8 unicode11utf8 unicode20utf8 xunicode20utf8 utf8mb4",
    "cp1252": "ansix341968 ascii usascii iso88591 isoir100 l1 latin1 csisolatin1 cp819 ibm819 ansi",
    "iso8859-2": "isoir101 l2 latin2 csisolatin2",
    "iso8859-3": "isoir109 l3 latin3 csisolatin3",
    "iso8859-4": "isoir110 l4 latin4 csisolatin4",
    "iso8859-5": "isoir144 cyrillic csisolatincyrillic",
    "iso8859-6": "isoir127 arabic asmo708 ecma114 csisolatinarabic csiso88596e csiso88596i"
    " iso88596e iso88596i",
    "iso8859-7": "isoir126 greek greek8 ecma118 elot928 suneugreek csisolatingreek",
    "cp1255": "iso88598 iso88598e iso88598i isoir138 hebrew visual logical csisolatinhebrew"
    " csiso88598e csiso88598i",
    "cp1254": "iso88599 isoir148 l5 latin5 csisolatin5",
    "iso8859-10": "isoir157 l6 latin6 csisolatin6",
    "iso8859-15": "csisolatin9 l9 latin9",
    "cp874": "dos874 windows874 iso885911 tis620",
    "cp866": "866 ibm866 csibm866",
    "koi8-r": "koi koi8 koi8r cskoi8r",
    "koi8-u": "koi8u koi8ru",
    "mac-roman": "macintosh xmacroman csmacintosh",
    "mac-cyrillic": "xmaccyrillic xmacukrainian",
    "gb18030": "gb2312 gbk xgbk gb231280 chinese csgb2312 csiso58gb231280 isoir58 cp936 windows936",
    "big5hkscs": "big5 cnbig5 csbig5 xxbig5 cp950 windows950",
    "cp932": "shiftjis sjis xsjis mskanji csshiftjis windows31j ms932 windows932 xmscp932",
    "euc_jis_2004": "eucjp xeucjp cseucpkdfmtjapanese ujis",
    "iso2022_jp_ext": "iso2022jp csiso2022jp",
    "cp949": "euckr cseuckr isoir149 korean ksc56011987 ksc56011989 ksc5601 csksc56011987"
    " windows949 ms949 uhc",
    "hz": "hzgb2312",
    "iso2022_kr": "iso2022kr csiso2022kr",
    "utf-16-le": "utf16 utf16le unicode unicodefeff ucs2 iso10646ucs2 csunicode",
    "utf-16-be": "utf16be unicodefffe",
}
_CODECS = {label: codec for codec, labels in _FAMILIES.items() for label in labels.split()}
_CODECS |= {f"iso8859{n}": f"iso8859-{n}" for n in (2, 3, 4, 5, 6, 7, 10, 13, 14, 15, 16)}
_CODECS |= {f"{prefix}125{n}": f"cp125{n}" for n in range(9) for prefix in ("windows", "cp", "xcp")}
_CODECS |= {codec.replace("-", "").replace("_", ""): codec for codec in _FAMILIES}

_NAMES = {
    "gb18030": "gb18030",
    "big5hkscs": "big5",
    "cp932": "shift_jis",
    "euc_jis_2004": "euc-jp",
    "iso2022_jp_ext": "iso-2022-jp",
    "cp949": "euc-kr",
    "hz": "hz-gb-2312",
    "iso2022_kr": "iso-2022-kr",
    "cp866": "ibm866",
    "mac-roman": "macintosh",
    "mac-cyrillic": "x-mac-cyrillic",
    "utf-16-le": "utf-16le",
    "utf-16-be": "utf-16be",
}

_NOISE = re.compile(r"[^a-z0-9]+")
_LONGEST_LABEL = 40


def codec_of(label: str) -> str | None:
    """The Python codec for what a page calls `label`; None where nobody knows that name."""
    return _CODECS.get(_NOISE.sub("", label[:_LONGEST_LABEL].lower()))


def name_of(codec: str) -> str:
    """The Encoding Standard's name, in lower case, for one of the codecs of `codec_of`."""
    if codec in _NAMES:
        return _NAMES[codec]
    return (
        codec.replace("cp125", "windows-125")
        .replace("cp874", "windows-874")
        .replace("iso8859", "iso-8859")
    )
