"""Questions that answer back: plain HTML without a script or a kernel.

A question is a group of radio buttons; what is shown after a choice is shown
by CSS alone. So it also works on a published page, and with scripts off.
"""

import tomllib
from html import escape
from pathlib import Path

from coursekit.explorers.cards import (
    KEYS,
    MOST,
    card,
    form,
    picture_html,
    to_html,
)
from coursekit.phrases import phrase

__all__ = ["Question", "predict", "quiz"]


class Question:
    """Questions to be answered by a click, a tap or a key.

    Attributes
    ----------
    html : str
        What a browser shows.
    text : str
        The questions and the answers to choose from, for anything else.
    """

    def __init__(self, html, text):
        self.html, self.text = html, text

    def _repr_html_(self):
        return self.html

    def __repr__(self):
        return self.text


def quiz(path):
    """Show the questions of a file; each choice is explained.

    Parameters
    ----------
    path : str or Path
        A TOML file: for each question ``[[question]]`` with ``ask``, then
        two to six ``[[question.answer]]`` with ``text`` and ``why``, of
        which exactly one has ``right = true``. In all texts `code`,
        *emphasis* and $formulas$ are understood, and nothing else.

    Returns
    -------
    Question

    Examples
    --------
    >>> quiz("no-such-file.toml")
    Traceback (most recent call last):
    ValueError: cannot read the quiz no-such-file.toml
    """
    path = Path(path)
    try:
        data = tomllib.loads(path.read_text("utf-8"))
        questions = _questions(data)
    except OSError:
        raise ValueError(f"cannot read the quiz {path}") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    count = len(questions)
    cards = [
        card(
            phrase("Question {number} of {count}", number=i, count=count),
            question["ask"],
            _judged(question),
        )
        for i, question in enumerate(questions, start=1)
    ]
    cards.append(_end(count))
    asked = [(q["ask"], [a["text"] for a in q["answer"]]) for q in questions]
    return Question(form("quiz", "".join(cards)), _plain(asked))


def predict(ask, options, picture, *, alt):
    """Ask for a guess, and show the picture only after it.

    Parameters
    ----------
    ask : str
        The question.
    options : dict
        From each option to the comment that a reader who chose it gets.
    picture : Figure or str
        A Matplotlib figure, or the HTML of an explorer's frame.
    alt : str
        What the picture shows, in words.

    Returns
    -------
    Question

    Examples
    --------
    >>> comments = {"half": "Right: 1/2.", "all": "The weights sum to 1."}
    >>> predict("Two keys are equal. How much weight does each get?",
    ...         comments, "<p>0.5 0.5</p>", alt="Each key gets half.")
    Two keys are equal. How much weight does each get?
      - half
      - all
    """
    if not isinstance(options, dict):
        kind = type(options).__name__
        raise TypeError(f"options must be a dict, got {kind}")
    _check_count("options", options)
    if not isinstance(alt, str) or not alt.strip():
        raise ValueError("alt must say in words what the picture shows")
    answers = [(text, "", why, "") for text, why in options.items()]
    then = picture_html(picture, alt)
    html = card(phrase("Predict, then look"), ask, answers, then)
    return Question(form("predict", html), _plain([(ask, [*options])]))


def _end(count):
    """Return what stands below a quiz; its style sheet counts right answers.

    The number is written between a text and what the text's ``data-then``
    holds.
    """
    number = "\0"
    score = phrase(
        "Right so far: {number} of {count}", number=number, count=count
    )
    before, then = map(escape, score.split(number))
    return (
        f'<p class=al-end><span data-then="{then}">{before}</span>'
        f"<button type=reset {KEYS}>{phrase('Start again')}</button></p>"
    )


def _plain(questions):
    return "\n\n".join(
        "\n".join([ask, *(f"  - {text}" for text in texts)])
        for ask, texts in questions
    )


# --- the file of a quiz ------------------------------------------------------


def _judged(question):
    """Return the answers as (text, verdict, why, look)."""
    verdicts = {
        True: (phrase("Right."), "r"),
        False: (phrase("Not quite."), "w"),
    }
    answers = []
    for answer in question["answer"]:
        word, look = verdicts[answer.get("right", False)]
        answers.append((answer["text"], word, answer["why"], look))
    return answers


def _questions(data):
    """Return the questions of a file, or say what is wrong with one."""
    _check_keys("the file", data, {"question": list})
    if not data["question"]:
        raise ValueError("the file: question is empty")
    shown = []
    for i, question in enumerate(data["question"], start=1):
        where = f"question {i}"
        _check_question(where, question)
        content = question["ask"], _judged(question)
        if content in shown:  # its buttons would be those of the first
            first = shown.index(content) + 1
            raise ValueError(f"{where}: the same as question {first}")
        shown.append(content)
    return data["question"]


def _check_question(where, question):
    _check_keys(where, question, {"ask": str, "answer": list})
    answers = question["answer"]
    _check_count(f"{where}: answers", answers)
    for j, answer in enumerate(answers, start=1):
        keys = {"text": str, "why": str}
        _check_keys(f"{where}, answer {j}", answer, keys, {"right": bool})
    right = sum(answer.get("right", False) for answer in answers)
    if right != 1:
        raise ValueError(
            f"{where}: exactly one answer must be right, got {right}"
        )
    if len({answer["text"] for answer in answers}) < len(answers):
        raise ValueError(f"{where}: two answers are the same")


def _check_count(name, things):
    if not 2 <= len(things) <= MOST:
        raise ValueError(
            f"{name}: from 2 to {MOST} allowed, got {len(things)}"
        )


def _check_keys(where, table, required, optional=None):
    """Check the keys of a table, their types, and the texts."""
    known = required | (optional or {})
    if not isinstance(table, dict):
        raise ValueError(f"{where}: must be a table [[...]], got {table!r}")
    for key in required:
        if key not in table:
            raise ValueError(f"{where}: {key} is missing")
    for key, value in table.items():
        if key not in known:
            raise ValueError(f"{where}: unknown key {key}")
        if not isinstance(value, known[key]):
            kind = known[key].__name__
            raise ValueError(f"{where}: {key} must be a {kind}, got {value!r}")
        if known[key] is str:
            try:
                to_html(value)
            except ValueError as error:
                raise ValueError(f"{where}: {key}: {error}") from None
