"""The Korean web font, cut down to the characters that the book uses."""

import re
import shutil

from project import ROOT

SYSTEM = ["Apple SD Gothic Neo", "Malgun Gothic", "Noto Sans KR"]


def used_characters(book=ROOT / "book"):
    """Return the Hangul of all sources, written out or as escapes."""
    kinds = ["*.ipynb", "*.md", "*.rst", "*.bib", "*/*.md", "*/*.toml"]
    texts = [p.read_text("utf-8") for kind in kinds for p in book.glob(kind)]
    used = {c for text in texts for c in text}
    for text in texts:
        escapes = re.findall(r"\\u([0-9a-fA-F]{4})", text)
        used |= {chr(int(code, 16)) for code in escapes}
    return {c for c in used if c >= "가"}


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


def collect(package, target):
    """Copy the slices of the font that hold a character we use.

    A browser loads a slice only on a page that shows one of its characters,
    and not at all where the machine has a Korean font of its own.
    """
    used = used_characters()
    local = ", ".join(f'local("{name}")' for name in SYSTEM)
    (target / "fonts").mkdir(parents=True)
    rules = []
    for weight in ["400", "700"]:
        css = (package / f"{weight}.css").read_text("utf-8")
        for face in re.findall(r"@font-face \{.*?\}", css, re.DOTALL):
            file = re.search(r"files/([\w-]+\.woff2)", face)[1]
            ranges = re.search(r"unicode-range: ([^;]+);", face)[1]
            if not any(within(c, ranges) for c in used):
                continue
            shutil.copy2(package / "files" / file, target / "fonts" / file)
            rules.append(
                '@font-face {font-family: "Book Hangul"; font-display: swap;'
                f" font-weight: {weight}; unicode-range: {ranges};"
                f' src: {local}, url(fonts/{file}) format("woff2");}}'
            )
    (target / "hangul.css").write_text("\n".join(rules) + "\n", "utf-8")
