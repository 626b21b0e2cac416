"""Sphinx extension: `course-progress`, the goals that a reader has reached.

A goal is a box in the summary of a chapter. Boxes are named here, and listed
on the page that has the directive; page.js keeps the ticks. A goal has the
same name in both editions, so that a tick holds for both. Exercises count
beside them: the page's Python ticks those that were solved.
"""

import functools
import hashlib
import re
from html import escape

import edition
from docutils import nodes
from docutils.parsers.rst import Directive
from edition import phrase
from pagepython import exercise_of

PLACE = "course-progress"
# What Markdown has beside the words: roles, the targets of links, marks.
UNSEEN = re.compile(
    r"\{[\w:-]+\}(?=`)|\s*<[^<>`]*>(?=`)|(?<=\])\([^)]*\)|[*`]"
)


class CourseProgress(Directive):
    """`course-progress`: how many goals of each chapter were reached."""

    def run(self):
        """Leave a place, which is filled when all pages are written."""
        return [nodes.raw("", f'<div class="{PLACE}"></div>', format="html")]


def goal_name(chapter, text):
    """Name a goal by its English words, whatever its signs and capitals.

    >>> goal_name("01", " I can.") == goal_name("01", "i can")
    True
    """
    words = key_of(chapter, text).encode()
    return f"{chapter}:{hashlib.sha256(words).hexdigest()[:8]}"


def key_of(chapter, text):
    """Return the English words of a goal, from what its page shows."""
    words = plain(text)
    if not edition.is_korean():
        return words
    known = english_words(chapter)
    if words not in known:
        raise SystemExit(f"{chapter}.po has no text of this goal: {text}")
    return known[words]


@functools.cache
def english_words(chapter):
    """Return the English words of a chapter's texts, by the Korean ones."""
    texts = edition.words_of(chapter).items()
    return {shown(korean): shown(english) for english, korean in texts}


def shown(markdown):
    """Return the words that a page shows of a text.

    >>> shown("Two {term}`Keys <key>`, **read**ers, [see](x.md) $d_k$.")
    'two keys readers see d_k'
    """
    return plain(UNSEEN.sub("", markdown))


def plain(text):
    """Return the words of a text alone.

    >>> plain(" I can, too.")
    'i can too'
    """
    return " ".join(re.findall(r"\w+", text.lower()))


def label_end(page, box):
    """Return where the words of a box end: before an inner list, if any."""
    inner = [e for e in page.find("ul") if e.parent is box.parent]
    return min([e.start for e in inner], default=box.parent.close)


def label_boxes(page, chapter):
    """Label all boxes; name those in the summary, and return the names."""
    summary = [e for e in page.elements if e.attributes.get("id") == "summary"]
    names = []
    for box in page.find("input", "task-list-item-checkbox"):
        end = label_end(page, box)
        page.insert(box.start, "<label>")
        page.insert(end, "</label>")
        if any(box.within(section) for section in summary):
            names.append(goal_name(chapter, page.text(box.end, end)))
            mark = f' data-goal="{names[-1]}" autocomplete="off"'
            page.insert(box.start + len("<input"), mark)
    return names


def progress_list(chapters):
    """Return the list, from (address, title, goals, exercises) of a page."""
    rows = []
    for address, title, names, exercises in chapters:
        counts = [
            phrase("{count} goals", count=len(names)) if names else "",
            phrase("{count} exercises", count=len(exercises))
            if exercises
            else "",
        ]
        text = ", ".join(filter(None, counts))
        rows.append(
            f'<li data-goals="{" ".join(names)}" '
            f'data-exercises="{" ".join(exercises)}"><a href="{address}">'
            f"{escape(title)}</a> <span>{text}</span></li>"
        )
    return f"<ul>{''.join(rows)}</ul>"


def exercises_of(page):
    """Return the names of the exercises that are solved by writing code."""
    cells = page.find("div", "tag_exercise")
    return [exercise_of(page, cell)["exercise"] for cell in cells]


def title_of(app, document):
    """Return a document's number and title: `2 · Build self-attention`."""
    number = app.env.toc_secnumbers.get(document, {}).get("", ())
    title = app.env.titles[document].astext()
    return " · ".join(filter(None, [".".join(map(str, number)), title]))


def add(app, pages):
    """Label the boxes of all pages; list the goals where there is a place.

    `pages` maps the names of documents to their pages.
    """
    chapters = []
    for document, page in pages.items():
        chapter = document.split("/")[-1]
        names, exercises = label_boxes(page, chapter), exercises_of(page)
        if names or exercises:
            address = f"{chapter}.html" + "#summary" * bool(names)
            title = title_of(app, document)
            chapters.append((address, title, names, exercises))
    for page in pages.values():
        for place in page.find("div", PLACE):
            page.insert(place.inner, progress_list(chapters))


def setup(app):
    """Add the directive."""
    app.add_directive("course-progress", CourseProgress)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
