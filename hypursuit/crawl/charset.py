"""Bytes to text as browsers do it, and a little more forgiving where servers lie."""

from __future__ import annotations

import codecs
import re
from typing import Final

PRESCAN_BYTES: Final = 4_096
"""How far into a body its own statement of the charset is looked for."""

# The labels of the Encoding Standard, by the Python codec that decodes them. Servers say iso-8859-1 and ascii and mean
# windows-1252; likewise the national standards of 1987 mean the larger vendor sets that grew out of them.
_LABELS: Final = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
    "cp1252": "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 "
    "iso_8859-1 iso_8859-1:1987 l1 latin1 latin-1 us-ascii windows-1252 x-cp1252 iso8859_1",
    "cp1250": "cp1250 windows-1250 x-cp1250",
    "cp1251": "cp1251 windows-1251 x-cp1251",
    "cp1253": "cp1253 windows-1253 x-cp1253",
    "cp1254": "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 "
    "windows-1254 x-cp1254",
    "cp1255": "cp1255 windows-1255 x-cp1255",
    "cp1256": "cp1256 windows-1256 x-cp1256",
    "cp1257": "cp1257 windows-1257 x-cp1257",
    "cp1258": "cp1258 windows-1258 x-cp1258",
    "iso8859-2": "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
    "iso8859-3": "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
    "iso8859-4": "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
    "iso8859-5": "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
    "iso8859-6": "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e "
    "iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
    "iso8859-7": "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 "
    "iso_8859-7 iso_8859-7:1987 sun_eu_greek",
    "iso8859-8": "csiso88598e csiso88598i csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-8859-8-i iso-ir-138 "
    "iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 logical visual",
    "iso8859-10": "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso8859-13": "iso-8859-13 iso8859-13 iso885913",
    "iso8859-14": "iso-8859-14 iso8859-14 iso885914",
    "iso8859-15": "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9 latin9",
    "iso8859-16": "iso-8859-16",
    "koi8-r": "cskoi8r koi koi8 koi8-r koi8_r",
    "koi8-u": "koi8-ru koi8-u",
    "cp866": "866 cp866 csibm866 ibm866",
    "mac-roman": "csmacintosh mac macintosh x-mac-roman",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "cp874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
    "gb18030": "chinese csgb2312 csiso58gb231280 gb18030 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk",
    "big5hkscs": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc-jp": "cseucpkdfmtjapanese euc-jp x-euc-jp",
    "iso2022-jp": "csiso2022jp iso-2022-jp",
    "cp932": "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
    "cp949": "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 "
    "windows-949",
    "utf-16-le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
    "utf-16-be": "unicodefffe utf-16be",
}
_CODEC_OF: Final = {label: codec for codec, labels in _LABELS.items() for label in labels.split()}
# Text in these can hardly ever be valid UTF-8 by accident; two-byte East Asian text of a few characters can.
_SINGLE_BYTE: Final = frozenset(
    codec for codec in _LABELS if codec.startswith(("cp125", "iso8859", "koi8", "mac", "cp86", "cp87"))
)
_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    # Without a mark, only the first "<" of a page gives sixteen bits away.
    (b"<\0", "utf-16-le"),
    (b"\0<", "utf-16-be"),
)
_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';,]+)", re.IGNORECASE)
# <meta charset=x> and <meta http-equiv=content-type content="text/html; charset=x"> alike.
_META = re.compile(rb"<meta\s[^>]{0,500}?charset\s*=\s*[\"']?\s*([^\s\"'/>;]{1,40})")
_XML = re.compile(rb"\s{0,40}<\?xml\s[^>]{0,200}?encoding\s*=\s*[\"']([^\"'>]{1,40})")
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)


def decode(body: bytes, content_type: str | None = None) -> str:
    """The text of a page; never raises.

    Believed in this order, each only if the body can be read that way: byte order mark, ``charset`` of the HTTP
    header, ``meta`` element, XML declaration; then UTF-8, then windows-1252. Two lies are seen through: bytes outside
    ASCII that form valid UTF-8 are UTF-8 whatever single-byte charset is declared, and UTF-8 with a few broken
    characters (a body cut short, one pasted quotation mark) stays UTF-8, with U+FFFD for these.
    """
    for mark, codec in _BOMS:
        if body.startswith(mark):
            return body.decode(codec, "replace").removeprefix("\ufeff")
    declared = _declared(body, content_type)
    if body.isascii() and not any(codec.startswith(("utf-16", "iso2022")) for codec in declared):
        return body.decode("ascii")
    if not declared or declared[0] in _SINGLE_BYTE:
        declared.insert(0, "utf-8")
    for codec in declared:
        text = _read(body, codec)
        if text is not None:
            return text
    return _read(body, "utf-8") or body.decode("cp1252", "replace")


def codec_of(label: str) -> str | None:
    """The Python codec for a charset label of the web, or None for a label browsers do not know."""
    return _CODEC_OF.get(label.strip().lower())


def _declared(body: bytes, content_type: str | None) -> list[str]:
    """The known codecs that header, meta element and XML declaration name, most trusted first."""
    prefix = body[:PRESCAN_BYTES].lower()
    if b"<!--" in prefix:
        prefix = _COMMENT.sub(b"", prefix)
    labels = []
    if content_type and (header := _HEADER.search(content_type)):
        labels.append(header[1])
    labels += [statement[1].decode("latin-1") for statement in (_META.search(prefix), _XML.match(prefix)) if statement]
    codecs_named = [codec for label in labels if (codec := codec_of(label))]
    if b"\0" not in prefix:
        # Markup in sixteen bits is half zeros; without any, the claim is refuted, as it is in every meta element.
        return ["utf-8" if codec.startswith("utf-16") else codec for codec in codecs_named]
    return codecs_named


def _read(body: bytes, codec: str) -> str | None:
    """The body in this codec, or None where that is plainly not what it is written in."""
    try:
        return body.decode(codec)
    except UnicodeDecodeError:
        if codec != "utf-8":
            return None
    text = body.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    foreign = len(text) - len(text.encode("ascii", "ignore")) - broken
    return text if foreign > broken else None
