"""Sphinx extension: the language of an edition, English or Korean.

What the build writes into the pages by itself is said by `phrase`, in English
where it is said; `book/_korean/site.po` has the Korean. A template has
`phrase` too.
"""

from project import ROOT

import coursekit
from coursekit.phrases import LANGUAGES, catalogue

CATALOGUES = ROOT / "book" / "_korean"

_said = {}  # from English to the language that was set last


def words_of(name):
    """Return the Korean of a catalogue, by its English."""
    return catalogue((CATALOGUES / f"{name}.po").read_text("utf-8"))


def set_language(name):
    """Let the build speak a language: "en" or "ko"."""
    if name not in LANGUAGES:
        raise ValueError(f"name must be 'en' or 'ko', got {name!r}")
    _said.clear()
    if name == "ko":
        _said.update(words_of("site"))


def is_korean():
    """Say whether the Korean edition is being built."""
    return bool(_said)


def phrase(english, /, **values):
    """Say something in the language of the edition; `{name}` is a gap.

    >>> phrase("{count} goals", count=3)
    '3 goals'
    """
    said = _said.get(english) or english
    return said.format(**values) if values else said


def translate_settings(config):
    """Say what extensions ask for."""
    config.numfig_format = {"exercise": phrase("Exercise %s")}


def on_config(app, config):
    """Speak the language of the build, before another extension speaks."""
    set_language(config.language)
    coursekit.set_language(config.language)
    if is_korean():
        translate_settings(config)


def on_page(app, pagename, templatename, context, doctree):
    """Let the templates speak."""
    context["phrase"] = phrase


def setup(app):
    """Connect the functions above to the build."""
    app.connect("config-inited", on_config, priority=10)
    app.connect("html-page-context", on_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
