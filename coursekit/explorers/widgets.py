"""An explorer in Jupyter: ipywidgets whose links the browser follows."""

from ipywidgets import (
    HTML,
    Box,
    Dropdown,
    Layout,
    SelectionSlider,
    Stack,
    ToggleButtons,
    VBox,
    jsdlink,
)
from ipywidgets.widgets.widget_string import HTMLStyle

from coursekit.explorers.controls import BUTTONS, MENU, SLIDER
from coursekit.explorers.style import style

__all__ = ["panel_widget"]

KINDS = {SLIDER: SelectionSlider, BUTTONS: ToggleButtons, MENU: Dropdown}
WIDE = {"width": "100%", "margin": "0", "overflow": "visible"}


def panel_widget(controls, frames):
    """Return the widget of an explorer: its controls above its frame."""
    chosen = [_control(control) for control in controls.values()]
    layout = Layout(**WIDE)
    look = {"layout": layout, "style": HTMLStyle()}
    pictures = {html: HTML(html, **look) for html in frames.values()}
    stacks = {}

    def nest(choice=()):
        """Return the widget that shows what is still to be chosen.

        A control that changes nothing gets no Stack, and equal Stacks are
        one, so that each picture is sent once.
        """
        depth = len(choice)
        if depth == len(chosen):
            return pictures[frames[choice]]
        widget = chosen[depth]
        children = [nest((*choice, value)) for _, value in widget.options]
        if all(child is children[0] for child in children):
            return children[0]
        key = (depth, *map(id, children))
        if key not in stacks:
            stacks[key] = Stack(
                children, selected_index=widget.index, layout=layout
            )
            jsdlink((widget, "index"), (stacks[key], "selected_index"))
        return stacks[key]

    row = Layout(flex_flow="column", width="100%", margin="0")
    panel = VBox(
        [
            HTML(style("explorers.css"), layout=Layout(display="none")),
            Box(chosen, layout=row),
            nest(),
        ],
        layout=Layout(width="100%", overflow="visible"),
    )
    panel.add_class("al-explorer")
    return panel


def _control(control):
    style = {"description_width": "7rem"}
    if control.kind == BUTTONS:
        style["button_width"] = "auto"
    return KINDS[control.kind](
        options=control.options,
        value=control.value,
        description=control.label,
        tooltip=control.label,
        style=style,
        layout=Layout(width="min(100%, 26rem)", margin="2px 0"),
    )
