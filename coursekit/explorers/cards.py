"""The HTML of a question: radio buttons, and CSS that shows the rest."""

import hashlib
import re
from html import escape

from coursekit.explorers.pictures import drawn
from coursekit.explorers.style import style

__all__ = ["KEYS", "MOST", "card", "form", "picture_html", "to_html"]

# `\(` and not `$`, as Sphinx writes it: the page then treats a formula here
# like its own. JupyterLab understands both, but no macros.
MATH = r'<span class="math notranslate nohighlight">\({}\)</span>'
MACROS = {r"\softmax": r"\operatorname{softmax}", r"\R": r"\mathbb{R}"}
KEYS = "data-lm-suppress-shortcuts"  # JupyterLab leaves us the arrow keys
MOST = 6  # answers: questions.css knows that many
PIECES = re.compile(
    r"`([^`]+)`|\$([^$]+)\$|\*\*(?=\S)([^*]+)(?<=\S)\*\*"
    r"|\*(?=\S)([^*]+)(?<=\S)\*"
)


def to_html(text):
    r"""Turn `code`, *stress*, **more** and $formulas$ into HTML; escape all.

    Hangul has no italics, so that Korean marks stress by bold letters.

    >>> to_html("*Is* `a<b`? **Yes**.")
    '<em>Is</em> <code>a&lt;b</code>? <strong>Yes</strong>.'
    """
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"a text is needed, got {text!r}")
    html, end = [], 0
    for match in PIECES.finditer(text):
        html.append(_rest(text[end : match.start()], text))
        code, formula, strong, stress = match.groups()
        if code:
            html.append(f"<code>{escape(code)}</code>")
        elif formula:
            html.append(MATH.format(escape(_expand(formula))))
        elif strong:
            html.append(f"<strong>{to_html(strong)}</strong>")
        else:
            html.append(f"<em>{to_html(stress)}</em>")
        end = match.end()
    return "".join(html) + _rest(text[end:], text)


def _rest(piece, text):
    for sign in "`$":
        if sign in piece:
            raise ValueError(f"unmatched {sign} in {text!r}")
    return escape(piece)


def _expand(formula):
    for name, meaning in MACROS.items():
        pattern = re.escape(name) + r"(?![A-Za-z])"
        formula = re.sub(pattern, lambda _, to=meaning: to, formula)
    return formula


def form(kind, inner):
    """Return the questions in a form: it resets itself, and is never sent."""
    look = f'"al-ask al-{kind}"'
    sheet = style("questions.css")
    return f"{sheet}<form method=dialog class={look}>{inner}</form>"


def card(number, ask, answers, then=""):
    """Return one question; an answer is (text, verdict, why, class)."""
    content = repr((ask, answers, then)).encode()
    name = "al-" + hashlib.sha256(content).hexdigest()[:10]
    html = [
        f"<div class=al-card><fieldset><legend><small>{number}</small>"
        f"{to_html(ask)}</legend><div class=al-pick>"
    ]
    whys = []
    for i, (text, verdict, why, look) in enumerate(answers, start=1):
        mark = f" class={look}" if look else ""
        html.append(
            f"<input type=radio name={name} id={name}-{i}{mark} {KEYS} "
            f"autocomplete=off><label for={name}-{i}>{to_html(text)}</label>"
        )
        bold = f"<b>{verdict}</b> " if verdict else ""
        whys.append(f"<p{mark}>{bold}{to_html(why)}</p>")
    status = f"<div class=al-why role=status>{''.join(whys)}</div>"
    return "".join(html) + f"{status}{then}</div></fieldset></div>"


def picture_html(picture, alt):
    """Return the HTML of a picture that is hidden until a choice is made."""
    if isinstance(picture, str):
        return (
            f"{style('explorers.css')}<div class=al-then role=group "
            f'aria-label="{escape(alt)}">{picture}</div>'
        )
    if not hasattr(picture, "savefig"):
        kind = type(picture).__name__
        raise TypeError(f"picture must be a Figure or HTML, got {kind}")
    sheet = style("pictures.css")
    return f"{sheet}<div class=al-then>{drawn(picture, alt)}</div>"
