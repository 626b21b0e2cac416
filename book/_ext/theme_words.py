"""The words of the theme and of other extensions, in the Korean edition.

With `language = "ko"` Sphinx and some packages speak Korean; what is left in
English, or is not what this course calls it, is replaced here: in the pages
that were written, and in the script that is joined from those of others. In
the English edition nothing is done.
"""

import json
import re

import edition
from edition import phrase

from coursekit.phrases import later

# What is shown when a mouse rests, or said to those who do not see.
ATTRIBUTES = ["title", "aria-label", "data-bs-title", "alt"]
NAMES = [
    later("Version warning"),
    later("Main"),
    later("Page"),
    later("Site navigation"),
    later("On this page"),
    later("Toggle primary sidebar"),
    later("Toggle secondary sidebar"),
    later("Color mode"),
    later("Light"),
    later("Dark"),
    later("System Settings"),
    later("Source repositories"),
    later("Suggest edit"),
    later("Launch interactive content"),
    later("Launch on Binder"),
    later("Binder logo"),
    later("previous page"),
    later("next page"),
    later("Link to this heading"),
    later("Link to this image"),
    later("Link to this table"),
    later("Link to this equation"),
    later("Link to this term"),
    later("Link to this definition"),
    later("Toggle hidden content"),
]
# Texts, by the tag and the class of the element that holds nothing else.
TEXTS = {
    ("a", None): [later("Skip to main content")],
    ("button", None): [later("Back to top")],
    ("p", None): [
        later("Please activate JavaScript to enable the search functionality.")
    ],
    ("p", "admonition-title"): [
        later("Show code cell source"),
        later("Hide code cell source"),
        later("Show code cell output"),
        later("Hide code cell output"),
        later("Show code cell content"),
        later("Hide code cell content"),
    ],
    ("span", "btn__text-container"): [
        later("Repository"),
        later("Suggest edit"),
        later("Open issue"),
    ],
}
# What a package says in a Korean that is not ours, and what it means.
SAID_BADLY = {
    ("h2", None): {"내용": later("Contents")},
    ("div", "onthispage"): {"내용": later("Contents")},
}
COPY = {
    "copy": later("Copy"),
    "copy_to_clipboard": later("Copy to clipboard"),
    "copy_success": later("Copied!"),
    "copy_failure": later("Failed to copy"),
}
HIDDEN = later("Toggle hidden content")
HINTS = {
    "toggleHintShow": later("Click to show"),
    "toggleHintHide": later("Click to hide"),
}
SEARCH = [
    later("Hide Search Matches"),
    later("Search Results"),
    later("Searching"),
    later("Preparing search..."),
    later(
        "Search finished, found ${resultCount} page(s) matching the search "
        "query."
    ),
    later(
        "Your search did not match any documents. Please make sure that all "
        "words are spelled correctly and that you've selected enough "
        "categories."
    ),
    later(", in "),
]


def add(page):
    """Say the words of a page in Korean, if that is its edition."""
    if not edition.is_korean():
        return
    name_parts(page)
    for (tag, look), words in TEXTS.items():
        replace(page, page.find(tag, look), {word: word for word in words})
    for (tag, look), words in SAID_BADLY.items():
        replace(page, page.find(tag, look), words)
    for solution in page.find("div", "solution"):
        name_solution(page, solution)


def name_parts(page):
    """Replace the names and tips of buttons, links and regions."""
    for element in page.elements:
        for name in ATTRIBUTES:
            value = element.attributes.get(name)
            if value in NAMES:
                page.set(element, name, phrase(value))


def replace(page, elements, words):
    """Replace the texts of elements that say one of these words alone."""
    for element in elements:
        text = page.text(element.inner, element.close).strip()
        if text in words:
            start = page.html.index(text, element.inner)
            page.edit(start, start + len(text), phrase(words[text]))


def name_solution(page, solution):
    """Put what a title says of its exercise where Korean has it."""
    title = next(
        e for e in page.find("p", "admonition-title") if e.within(solution)
    )
    links = [e for e in page.find("a") if e.within(title)]
    if not links:
        return
    link, before = links[0], phrase("Solution to {exercise}")
    before, after = before.split("{exercise}")
    theirs = re.match(r"\s*(연습(?! 문제))?", page.html[link.inner :])
    ours = phrase("Exercise %s").removesuffix(" %s") if theirs[1] else ""
    page.edit(title.inner, link.start, before)
    page.edit(link.inner, link.inner + theirs.end(), ours)
    page.insert(link.end, after)


# --- the script that is joined of those of others ----------------------------


def of_scripts():
    """Return the words of the scripts of others, in English."""
    return [*COPY.values(), *SEARCH, HIDDEN, *HINTS.values()]


def in_script(text):
    """Return the joined script; it says its words in the page's language.

    Sphinx has a `translations.js` for that, which makes a function from a
    text; the policy of the pages forbids this.
    """
    copying = ", ".join(f"{n}: {call(word)}" for n, word in COPY.items())
    known = "Object.assign(Documentation.TRANSLATIONS, window.courseWords);"
    gettext = "const _ = Documentation.gettext;"
    label = 'aria-label="{}"'
    text = inserted(
        text,
        {
            "const messages = {": f"const messages = {{ ko: {{{copying}}},",
            gettext: f"{gettext}\n{known}",
            label.format(HIDDEN): label.format(f"${{{call(HIDDEN)}}}"),
        },
    )
    for name, word in HINTS.items():
        text = re.sub(rf"(?<=let {name} = ).*(?=;)", call(word), text)
    return text


def call(word):
    """Return how a script says a word."""
    return f"phrase({json.dumps(word)})"


def in_search(text):
    """Return Sphinx' script; it marks what a Korean word has in common."""
    added = "highlightTerms.add({});"
    stem = "/[가-힣]/.test(word) ? word : queryTermLower"
    return inserted(text, {added.format("queryTermLower"): added.format(stem)})


def inserted(text, changes):
    """Replace what stands in a text exactly once."""
    for old, new in changes.items():
        if text.count(old) != 1:
            raise SystemExit(f"theme_words.py: a script has changed: {old}")
        text = text.replace(old, new)
    return text
