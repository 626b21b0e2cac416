"""The HTML of a question: radio buttons, and CSS that shows the rest.

A picture that was drawn with Matplotlib becomes SVG whose text is text.
"""

import hashlib
import re
from html import escape
from io import StringIO

from coursekit.explorers.frames import STYLE as FRAME_STYLE

__all__ = ["KEYS", "MOST", "card", "form", "picture_html", "to_html"]

# `\(` and not `$`, in the words of Sphinx: the page then treats a formula
# here as it treats its own. JupyterLab understands both, but no macros.
MATH = r'<span class="math notranslate nohighlight">\({}\)</span>'
MACROS = {r"\softmax": r"\operatorname{softmax}", r"\R": r"\mathbb{R}"}
KEYS = "data-lm-suppress-shortcuts"  # of JupyterLab: the arrow keys are ours
MOST = 6  # answers that the style sheet knows
PIECES = re.compile(r"`([^`]+)`|\$([^$]+)\$|\*(?=\S)([^*]+)(?<=\S)\*")
SHOWN = ",".join(
    f".al-pick>input:nth-of-type({i}):checked~.al-why>p:nth-child({i})"
    for i in range(1, MOST + 1)
)
STYLE = """<style>
.al-ask{--al-r:0 104 74;--al-w:163 56 0;--al-i:0 92 148;margin:0;
line-height:1.5;font-size:1rem;max-width:46rem;color:inherit}
html[data-theme=dark] .al-ask,body[data-jp-theme-light=false] .al-ask{
--al-r:98 208 166;--al-w:255 168 112;--al-i:122 190 240}
.al-card{border:1px solid rgb(128 128 128/.45);border-radius:.6rem;
margin:0 0 1.1rem;padding:1rem 1.1rem .7rem}
.al-card fieldset{border:0;margin:0;padding:0;min-width:0}
.al-card legend{float:none;width:auto;margin:0;padding:0 0 .7rem;
font-size:1.05rem;font-weight:600;line-height:1.45;color:inherit}
.al-card legend small{display:block;font-size:.8rem;font-weight:650;
letter-spacing:.03em;color:rgb(var(--al-i));margin:0 0 .2rem}
.al-pick>input{float:left;clear:left;position:relative;z-index:1;
margin:.85rem 0 0 .8rem;width:1.05rem;height:1.05rem;
accent-color:rgb(var(--al-i))}
.al-pick>label{display:block;margin:0 0 .45rem;padding:.55rem 2.4rem .55rem
2.5rem;border:1px solid rgb(128 128 128/.35);border-radius:.45rem;
cursor:pointer;position:relative;font-weight:400;overflow-wrap:anywhere}
.al-pick>label:hover{background:rgb(128 128 128/.1)}
.al-pick>input:focus-visible{outline:0!important}
.al-pick>input:focus-visible+label{outline:3px solid rgb(var(--al-i));
outline-offset:2px}
.al-pick>input:checked+label{--al-t:var(--al-i);
border-color:rgb(var(--al-t));background:rgb(var(--al-t)/.1);
box-shadow:inset 0 0 0 1px rgb(var(--al-t))}
.al-pick>.r:checked+label{--al-t:var(--al-r)}
.al-pick>.w:checked+label{--al-t:var(--al-w)}
.al-pick>.r:checked+label::after,.al-pick>.w:checked+label::after{
position:absolute;right:.8rem;top:.5rem;font-weight:700;
color:rgb(var(--al-t));content:"\\2713" / ""}
.al-pick>.w:checked+label::after{content:"\\2715" / ""}
.al-why>p,.al-then{display:none}
.al-why>p{margin:.8rem 0 .4rem;padding:.1rem 0 .1rem .9rem;
border-left:4px solid rgb(var(--al-i));overflow-wrap:anywhere}
.al-why>.r{border-color:rgb(var(--al-r))}
.al-why>.w{border-color:rgb(var(--al-w))}
.al-why>.r b{color:rgb(var(--al-r))}
.al-why>.w b{color:rgb(var(--al-w))}
SHOWN,.al-pick>input:checked~.al-then{display:block}
.al-then{margin:1rem 0 .4rem;overflow-x:auto}
@media(max-width:600px){.al-card{padding-inline:.8rem}
.al-then{margin-inline:-.5rem}}
.al-then>svg{display:block;max-width:100%;height:auto;background:#fff;
border-radius:.5rem;margin:0 auto}
.al-then>svg text{font-family:inherit!important}
html[data-theme=dark] .al-then>svg,
body[data-jp-theme-light=false] .al-then>svg{padding:.6rem}
.al-quiz{counter-reset:al-right}
.al-quiz .r:checked{counter-increment:al-right}
.al-end{display:flex;flex-wrap:wrap;gap:.4rem 1.2rem;align-items:center;
margin:0}
.al-end span::after{content:counter(al-right) " of " attr(data-of)}
.al-end button{font:inherit;font-size:.9rem;color:inherit;cursor:pointer;
background:none;border:1px solid rgb(128 128 128/.7);border-radius:.4rem;
padding:.2rem .7rem}
.al-end button:hover{background:rgb(128 128 128/.15)}
@media print{.al-card{break-inside:avoid}
.al-ask .al-why,.al-end{display:none}.al-ask .al-then{display:block}}
</style>""".replace("SHOWN", SHOWN)


def to_html(text):
    r"""Turn `code`, *stress* and $formulas$ into HTML, and escape the rest.

    >>> to_html("*Is* `a<b`?")
    '<em>Is</em> <code>a&lt;b</code>?'
    """
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"a text is needed, got {text!r}")
    html, end = [], 0
    for match in PIECES.finditer(text):
        html.append(_rest(text[end : match.start()], text))
        code, formula, stress = match.groups()
        if code:
            html.append(f"<code>{escape(code)}</code>")
        elif formula:
            html.append(MATH.format(escape(_expand(formula))))
        else:
            html.append(f"<em>{to_html(stress)}</em>")
        end = match.end()
    return "".join(html) + _rest(text[end:], text)


def _rest(piece, text):
    for sign in "`$":
        if sign in piece:
            raise ValueError(f"a {sign} has no partner in {text!r}")
    return escape(piece)


def _expand(formula):
    for name, meaning in MACROS.items():
        pattern = re.escape(name) + r"(?![A-Za-z])"
        formula = re.sub(pattern, lambda _, to=meaning: to, formula)
    return formula


def form(kind, inner):
    """Return the questions in a form: reset without a script, never sent."""
    look = f'"al-ask al-{kind}"'
    return f"{STYLE}<form method=dialog class={look}>{inner}</form>"


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
            f'{FRAME_STYLE}<div class=al-then role=group aria-label="'
            f'{escape(alt)}">{picture}</div>'
        )
    if not hasattr(picture, "savefig"):
        kind = type(picture).__name__
        raise TypeError(f"picture must be a Figure or HTML, got {kind}")
    return f"<div class=al-then>{_svg(picture, alt)}</div>"


def _svg(figure, alt):
    """Return a figure as compact SVG, and close it."""
    import matplotlib.pyplot as plt

    kept = dict.fromkeys(["Creator", "Date", "Format", "Type"])
    settings = {"svg.fonttype": "none", "svg.hashsalt": "attention"}
    out = StringIO()
    with plt.rc_context(settings):
        figure.savefig(out, format="svg", bbox_inches="tight", metadata=kept)
    plt.close(figure)
    svg = out.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", svg, flags=re.S)
    # Two pictures on a page must not share an id.
    own = "al-" + hashlib.sha256(svg.encode()).hexdigest()[:6]
    used = set(re.findall(r'(?:url\(|href=")#([^")]+)', svg))
    for name in re.findall(r' id="([^"]+)"', svg):
        new = f' id="{own}{name}"' if name in used else ""
        svg = svg.replace(f' id="{name}"', new)
    svg = re.sub(r'(url\(|href=")#', rf"\1#{own}", svg)
    svg = re.sub(r"\n\s*", "\n", svg)
    return svg.replace(
        "<svg", f'<svg role="img" aria-label="{escape(alt)}"', 1
    )
