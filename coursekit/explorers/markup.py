"""An explorer on a page: the browser's own controls, and frames as data.

The first frame is ordinary HTML, so that it is there before any script runs,
and without scripts. The others are JSON, which costs a browser nothing until
`explorers.js` swaps one in.
"""

import json
import re
from html import escape

from coursekit.explorers.controls import BUTTONS, SLIDER
from coursekit.phrases import phrase

__all__ = ["panel_html"]

PLAYED = "step"  # a slider of this name gets a button that moves it


def panel_html(controls, frames, first):
    """Return the HTML of an explorer; `frames` come in the order of choices.

    The data are a list of different frames, with null for the first one that
    is on the page already, and for each choice the place of its frame.
    """
    pictures = [*dict.fromkeys(frames.values())]
    places = {html: place for place, html in enumerate(pictures)}
    data = {
        "frames": [None if html == first else html for html in pictures],
        "choices": [places[html] for html in frames.values()],
    }
    rows = "".join(_control(control) for control in controls)
    # A form keeps the radio buttons of two explorers apart.
    return (
        f"<form class=al-explorer method=dialog autocomplete=off>"
        f"<div class=al-controls>{rows}</div><div class=al-stage>{first}</div>"
        f'<div class=al-said role=status></div><script type="application/'
        f'json">{_inert(data)}</script></form>'
    )


def _inert(data):
    """Write JSON in which HTML sees no tag, and no end of its script."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", r"\u003c")


def _control(control):
    label = escape(control.label)
    if control.kind == SLIDER:
        shown = escape(control.labels[control.index])
        labels = escape(json.dumps(control.labels, ensure_ascii=False))
        slider = (
            f'<label class="al-control al-slide"><span>{label}</span>'
            f"<input type=range min=0 max={len(control.options) - 1} "
            f'value={control.index} aria-label="{label}" '
            f'aria-valuetext="{shown}" data-labels="{labels}">'
            f"<output aria-hidden=true>{shown}</output></label>"
        )
        return _playable(slider) if control.name == PLAYED else slider
    if control.kind == BUTTONS:
        return (
            f'<fieldset class="al-control al-choose"><legend>{label}</legend>'
            f"<div style=--n:{len(control.options)}>"
            f"{''.join(_buttons(control))}</div></fieldset>"
        )
    options = [
        f"<option{_mark(control, i, ' selected')}>{escape(text)}</option>"
        for i, text in enumerate(control.labels)
    ]
    return (
        f'<label class="al-control al-menu"><span>{label}</span>'
        f"<select>{''.join(options)}</select></label>"
    )


def _playable(slider):
    """Put a button beside a slider that moves it once a second."""
    return (
        f"<div class=al-steps>{slider}<button type=button class=al-play "
        f"aria-pressed=false>{phrase('Play')}</button></div>"
    )


def _buttons(control):
    name = escape(control.name)
    for i, text in enumerate(control.labels):
        # The place of a word that occurs twice is written small.
        shown = re.sub(r" (\(\d+\))$", r" <small>\1</small>", escape(text))
        yield (
            f'<label><input type=radio name="{name}"'
            f"{_mark(control, i, ' checked')}><span>{shown}</span></label>"
        )


def _mark(control, i, word):
    return word if i == control.index else ""
