"""The language in which the course's tools speak: English, or Korean.

A phrase is written in English, as a whole sentence with named gaps, where it
is said. `korean.po`, beside this module, has the Korean for each; the tests
see that none is missing. Errors for programmers and the names of things in
code stay English.
"""

import ast
from importlib import resources

__all__ = ["later", "phrase", "set_language"]

LANGUAGES = {"en": None, "ko": "korean.po"}
_said = {}  # from English to the language that was set last


def set_language(name):
    """Let all tools of the course speak a language: "en" or "ko".

    Examples
    --------
    >>> set_language("fr")
    Traceback (most recent call last):
    ValueError: name must be 'en' or 'ko', got 'fr'
    """
    if name not in LANGUAGES:
        raise ValueError(f"name must be 'en' or 'ko', got {name!r}")
    file = LANGUAGES[name]
    _said.clear()
    if file:
        text = resources.files(__package__).joinpath(file).read_text("utf-8")
        _said.update(catalogue(text))


def phrase(english, /, **values):
    """Say something in the language that was set.

    Parameters
    ----------
    english : str
        The English: a whole sentence or label. ``{name}`` is a gap.
    **values
        What stands in the gaps.

    Examples
    --------
    >>> phrase("{count} keys of width {width}", count=3, width=2)
    '3 keys of width 2'
    """
    said = _said.get(english, english)
    return said.format(**values) if values else said


def later(english):
    """Mark a constant that `phrase` is given later; return it as it is."""
    return english


def catalogue(text):
    r"""Return the translations in a gettext catalogue, as a dict.

    >>> catalogue('msgid "a"\nmsgstr ""\n"b"\n"c"\n')
    {'a': 'bc'}
    """
    entries, parts = [], []
    for line in text.splitlines():
        keyword, quote, rest = line.partition('"')
        if keyword in {"msgid ", "msgstr "}:
            parts = [keyword]
            entries.append(parts)
        if keyword in {"msgid ", "msgstr ", ""} and quote:
            parts.append(ast.literal_eval(quote + rest))
    joined = ["".join(parts[1:]) for parts in entries]
    pairs = zip(joined[::2], joined[1::2], strict=True)
    return {english: said for english, said in pairs if said}
