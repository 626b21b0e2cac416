"""Numbers in English and in Korean: “175 billion” is 1,750억, “half” 2분의 1.

A number has a key, by which two texts are compared: as it is written, `0.50`,
or its value if a part of it is a word: `175,000,000,000`, `1/2`.
"""

import re
from collections import Counter
from decimal import Decimal
from math import prod

WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven"]
WORDS += ["eight", "nine", "ten"]
SCALES = {"hundred": 10**2, "thousand": 10**3, "million": 10**6}
SCALES |= {"billion": 10**9, "trillion": 10**12}
PARTS = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6}
PARTS |= {"seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10}
PARTS |= {"twentieth": 20, "hundredth": 100}
UNITS = {"십": 10, "백": 100, "천": 1000, "만": 10**4, "억": 10**8}
UNITS |= {"조": 10**12}

DIGITS = r"\d+(?:[.,]\d+)*"
COUNT, SCALE, PART = ("|".join(x) for x in ([*WORDS, "an?"], SCALES, PARTS))
SCALED = re.compile(rf"({DIGITS}) ({SCALE})\b")
SAID = re.compile(
    rf"\b(?:({COUNT})[ -])?(?P<scale>{SCALE})\b"
    rf"|\b(?:the|({COUNT}))[ -](?P<part>{PART})s?\b|\b(?P<half>half)\b"
    rf"|\b(?P<word>{'|'.join(WORDS)}|zeros)\b"
)
LARGE = rf"({DIGITS})([십백천]?[만억조]|[백천])"
KOREAN = re.compile(rf"{LARGE}(?: {LARGE})?|(\d+)분의 (\d+)")


def difference(english, korean):
    """Count what Korean lost of the numbers of a text, and what it added.

    Numbers that English says in words may be digits in Korean or not.

    >>> difference("58 of 175 billion, a third", "1,750억 중 580억, 3분의 1")
    (Counter(), Counter())
    >>> difference("175 billion, a third", "175억, 2분의 1")[0]
    Counter({'175,000,000,000': 1})
    """
    must, may = written(english), said(english)
    # In “from 2 to 3 million” the first number leaves out its scale.
    known = {
        scaled(digits, SCALES[scale]): digits
        for _, scale in SCALED.findall(english)
        for digits in re.findall(DIGITS, SCALED.sub(" ", english))
    }
    known |= {key: key for key in must + may}
    found = in_korean(korean, known)
    return must - found, found - must - may


def written(text):
    """Count the numbers that an English text writes in digits.

    >>> sorted(written("175 billion of 3"))
    ['175,000,000,000', '3']
    """
    large = (scaled(n, SCALES[scale]) for n, scale in SCALED.findall(text))
    return Counter(large) + Counter(re.findall(DIGITS, SCALED.sub(" ", text)))


def said(text):
    """Count the numbers that an English text says in words.

    >>> sorted(said("Two thirds of a million zeros"))
    ['0', '1,000,000', '2/3']
    """
    found = Counter()
    for match in SAID.finditer(SCALED.sub(" ", text).lower()):
        count = match[1] or match[3]
        count = str(WORDS.index(count)) if count in WORDS else "1"
        if match["scale"]:
            key = scaled(count, SCALES[match["scale"]])
        elif match["word"]:
            key = str(WORDS.index(match["word"].removesuffix("s")))
        else:
            key = f"{count}/{PARTS[match['part'] or match['half']]}"
        found[key] += 1
    return found


def in_korean(text, known):
    """Count the numbers of a Korean text.

    `known` has the keys that English gives to values. If a value is not there,
    2만 may be “only 2”, and 8분의 1 “1 in 8”.

    >>> sorted(in_korean("2만", {})), sorted(in_korean("2만", {"20,000": "n"}))
    (['2'], ['n'])
    """
    found = Counter()

    def take(match):
        key = value(match)
        if key not in known and re.search(r"\d만$|분의", match[0]):
            return match[0]
        found[known.get(key, key)] += 1
        return " "

    rest = KOREAN.sub(take, text)
    return found + Counter(re.findall(DIGITS, rest))


def value(match):
    """Return the value of a number that is partly written in Hangul."""
    *large, whole, part = match.groups()
    if whole:
        return f"{part}/{whole}"
    pairs = zip(large[::2], large[1::2], strict=True)
    return key_of(
        sum(
            number(digits) * prod(UNITS[unit] for unit in units)
            for digits, units in pairs
            if digits
        )
    )


def number(digits):
    """Return the value of digits: 1,750.5."""
    return Decimal(digits.replace(",", ""))


def scaled(digits, factor):
    """Return the key of a number times a factor."""
    return key_of(number(digits) * factor)


def key_of(value):
    """Return a value as a key, without trailing zeros: 1,750.5."""
    text = f"{value:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
