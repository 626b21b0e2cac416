"""The Korean web font: the glyphs that the built pages show, and no more.

One font serves the whole book. In English it weighs less than 5 KB a weight,
so that one for each page would save nobody anything from the second chapter
on. It stands in a style sheet of its own, which the pages link that show
Hangul: a font that comes later makes a slow phone lay out the page twice. The
font of the Korean edition, of 60 KB a weight, is loaded only where the machine
has none.
"""

import base64
import html
import io
import re

import edition
from fontTools import merge, subset
from project import ROOT, fingerprinted

NAME = "hangul.css"
FAMILY = "Book Hangul"
HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3"
ALL = "가-힣"
# For each weight, the fonts of Apple, Windows, Android and Linux.
WEIGHTS = {
    "400": [
        "AppleSDGothicNeo-Regular",
        "Malgun Gothic",
        "Noto Sans CJK KR",
        "Noto Sans KR",
    ],
    "700": [
        "AppleSDGothicNeo-Bold",
        "Malgun Gothic Bold",
        "Noto Sans CJK KR Bold",
        "Noto Sans KR Bold",
    ],
}
# What a page may say later: by its Python, and by its scripts.
SAID = [ROOT / "coursekit/korean.po", ROOT / "book/_korean/site.po"]
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


def sheet(package, characters):
    """Return a style sheet that holds the fonts of these characters."""
    rules = []
    for weight in WEIGHTS:
        font = base64.b64encode(made(package, weight, characters)).decode()
        source = f'url(data:font/woff2;base64,{font}) format("woff2")'
        rules.append(face(weight, characters, source))
    return "\n".join(rules)


def face(weight, characters, source):
    """Return the rule for one font."""
    ranges = ", ".join(f"U+{ord(c):x}" for c in sorted(characters))
    return (
        f'@font-face{{font-family:"{FAMILY}";font-weight:{weight};'
        f"font-display:swap;unicode-range:{ranges};src:{source}}}"
    )


def korean_sheet(package, characters, static):
    """Write the fonts of the Korean edition; return their style sheet.

    A machine that is set up for Korean has a font, and loads none of them.
    """
    rules = []
    for weight, names in WEIGHTS.items():
        file = f"hangul-{weight}.woff2"
        address = fingerprinted(
            static, file, made(package, weight, characters)
        )
        sources = [f'local("{name}")' for name in names]
        sources.append(f'url({address}) format("woff2")')
        rules.append(face(weight, characters, ", ".join(sources)))
    return "\n".join(rules)


def add(pages, package, static, scripts):
    """Make the fonts, and let the pages link them that show Hangul."""
    used = {page: used_characters(page.pieces()) for page in pages}
    said = scripts.replace(ALL, "")  # a pattern is no text
    everything = used_characters([said]).union(*used.values())
    if not everything:
        return
    if edition.is_korean():
        later = [path.read_text("utf-8") for path in SAID]
        everything |= used_characters(later)
        css = korean_sheet(package, everything, static)
    else:
        css = sheet(package, everything)
    name = fingerprinted(static, NAME, css.encode())
    for page, characters in used.items():
        if characters:
            [head], [html] = page.find("head"), page.find("html")
            root = html.attributes["data-content_root"]
            link = f'<link rel="stylesheet" href="{root}_static/{name}">\n'
            page.insert(head.close, link)
