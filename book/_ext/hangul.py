"""The Korean web font: the glyphs that the built pages show, and no more.

One file a weight serves the whole book. It weighs less than 5 KB, so that a
file for each page would save nobody anything from the second chapter on.
"""

import html
import io
import re

from fontTools import merge, subset
from project import fingerprinted

SYSTEM = ["Apple SD Gothic Neo", "Malgun Gothic", "Noto Sans KR"]
HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3"
WITHOUT = ["BASE", "GPOS", "GSUB", "STAT", "gasp", "vhea", "vmtx"]


def used_characters(texts):
    r"""Return the Hangul of the pages: as it is, or escaped in data.

    >>> sorted(used_characters(["<p>나는", "&#xac00;", r'["\ud559"]']))
    ['가', '나', '는', '학']
    """
    found = set()
    for text in texts:
        escapes = re.findall(r"\\u([0-9a-fA-F]{4})", text)
        plain = "".join(chr(int(code, 16)) for code in escapes)
        found |= set(re.findall(f"[{HANGUL}]", html.unescape(text) + plain))
    return found


def within(character, ranges):
    """Say whether a CSS unicode-range holds the character.

    >>> within("나", "U+1f1e6, U+b098-b099"), within("a", "U+b098")
    (True, False)
    """
    for part in ranges.split(","):
        low, _, high = part.strip().removeprefix("U+").partition("-")
        if int(low, 16) <= ord(character) <= int(high or low, 16):
            return True
    return False


def cut(path, characters):
    """Return one slice of the font with these characters only, as a file."""
    options = subset.Options(
        drop_tables=[*subset.Options().drop_tables, *WITHOUT],
        hinting=False,
        layout_features=[],
        name_IDs=[],
    )
    font = subset.load_font(path, options)
    cutter = subset.Subsetter(options)
    cutter.populate(text="".join(characters))
    cutter.subset(font)
    font.flavor = None
    return saved(font)


def saved(font):
    """Return a font as an open file."""
    file = io.BytesIO()
    font.save(file)
    file.seek(0)
    return file


def made(package, weight, characters):
    """Return the bytes of a font of these characters."""
    css = (package / f"{weight}.css").read_text("utf-8")
    pieces = []
    for face in re.findall(r"@font-face \{.*?\}", css, re.DOTALL):
        file = re.search(r"files/([\w-]+\.woff2)", face)[1]
        ranges = re.search(r"unicode-range: ([^;]+);", face)[1]
        here = sorted(c for c in characters if within(c, ranges))
        if here:
            pieces.append(cut(package / "files" / file, here))
    font = merge.Merger().merge(pieces)
    font.flavor = "woff2"
    return saved(font).getvalue()


def css(texts, package, static):
    """Make the fonts for the pages' texts; return their style sheet.

    A browser loads them only on a page that shows one of the characters, and
    not at all where the machine has a Korean font of its own.
    """
    used = sorted(used_characters(texts))
    if not used:
        return ""
    local = ", ".join(f'local("{name}")' for name in SYSTEM)
    ranges = ", ".join(f"U+{ord(c):x}" for c in used)
    rules = []
    for weight in ["400", "700"]:
        font = made(package, weight, used)
        name = fingerprinted(static, f"hangul-{weight}.woff2", font)
        rules.append(
            '@font-face { font-family: "Book Hangul"; font-display: swap;'
            f" font-weight: {weight}; unicode-range: {ranges};"
            f' src: {local}, url({name}) format("woff2") }}'
        )
    return "\n".join(rules)
