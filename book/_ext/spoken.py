"""The phrases that the course's tools say, found in their code.

In Python they are what `phrase` and `later` are given, and the words of the
exercises; in the scripts of the pages, and in what makes the pages, what
`phrase` is given there.
"""

import ast
import re

import playground
import theme_words
import yaml
from project import ROOT

LITERAL = r'"(?:[^"\\\n]|\\.)*"'
CALL = re.compile(rf"\bphrase\(\s*({LITERAL}(?:\s*\+\s*{LITERAL})*)")
SCRIPTS = {
    "book/_static": "*.js",
    "book/_live": "*.js",
    "coursekit/explorers": "*.js",
    "book/_templates": "*.html",  # in Jinja a phrase looks the same
}


def in_python(source):
    """Yield the phrases of a Python module, in order.

    >>> list(in_python('phrase("a " "{b}", b=1); phrase(later("c"))'))
    ['a {b}', 'c']
    """
    calls = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Call)]
    for call in sorted(calls, key=lambda n: (n.lineno, n.col_offset)):
        name = getattr(call.func, "id", getattr(call.func, "attr", ""))
        if name in {"phrase", "later"} and call.args:
            (words, *_) = call.args
            if isinstance(words, ast.Constant):
                yield words.value


def in_script(source):
    r"""Yield the phrases of a script, or of a template.

    >>> list(in_script('phrase("a" + "b");phrase(\n "c {d}", {d})'))
    ['ab', 'c {d}']
    """
    for match in CALL.finditer(source):
        literals = re.findall(LITERAL, match[1])
        yield "".join(ast.literal_eval(text) for text in literals)


def of_exercises():
    """Yield what the checks of the exercises say."""
    from coursekit import exercises

    for name in exercises.__all__:
        check = getattr(exercises, name)
        yield check.task
        yield check.verified
        for mistake in check.mistakes.values():
            yield mistake.words


def of_coursekit(root=ROOT):
    """Yield the phrases of the package."""
    for path in sorted((root / "coursekit").rglob("*.py")):
        yield from in_python(path.read_text("utf-8"))
    yield from of_exercises()


def of_settings(root=ROOT):
    """Yield the titles in the book's settings and contents."""
    settings = yaml.safe_load((root / "_config.yml").read_text("utf-8"))
    options = settings["sphinx"]["config"]["html_theme_options"]
    yield settings["title"]
    yield from options["logo"].values()
    yield options["search_bar_text"]
    contents = yaml.safe_load((root / "_toc.yml").read_text("utf-8"))
    for part in contents["parts"]:
        yield part["caption"]


def of_scripts(root=ROOT):
    """Yield the phrases of the pages' scripts, those of others included."""
    for folder, pattern in SCRIPTS.items():
        for path in sorted((root / folder).glob(pattern)):
            yield from in_script(path.read_text("utf-8"))
    yield from theme_words.of_scripts()


def of_site(root=ROOT):
    """Yield the phrases of the pages' scripts, and of what makes the pages."""
    yield from of_settings(root)
    for path in sorted((root / "book" / "_ext").glob("*.py")):
        yield from in_python(path.read_text("utf-8"))
    yield from playground.said()
    yield from of_scripts(root)
