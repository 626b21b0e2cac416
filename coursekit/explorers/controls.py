"""What can be chosen: the options of one control, and how it looks."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from numbers import Real

from coursekit.phrases import later, phrase

__all__ = [
    "BUTTONS",
    "MENU",
    "SLIDER",
    "Control",
    "TrainingSteps",
    "control",
]

SLIDER, BUTTONS, MENU = "slider", "buttons", "menu"
# So many names, with so many letters in all, fit beside each other.
MOST_BUTTONS, MOST_LETTERS = 6, 40
# The names of the explorers' controls. What follows the bar is not shown: in
# Korean a step of training is not called like a step of a calculation.
OF_TRAINING = " | of training"
NAMES = (
    later("base"),
    later("distance"),
    later("head"),
    later("heads"),
    later("key"),
    later("key position"),
    later("layer"),
    later("mask"),
    later("opening"),
    later("pair"),
    later("place"),
    later("position"),
    later("query"),
    later("real words"),
    later("scale"),
    later("seed"),
    later("sentence"),
    later("step"),
    later("step | of training"),
    later("steps | of training"),
    later("temperature"),
    later("tiles read"),
    later("token"),
    later("way"),
    later("width"),
    later("window"),
    later("word"),
)


class TrainingSteps(list):
    """Options that are steps of training."""


@dataclass
class Control:
    """One control of an explorer.

    Attributes
    ----------
    name : str
        What is chosen, as the code calls it.
    label : str
        What is chosen, as a reader sees it.
    kind : str
        A slider for numbers, buttons for a few short names, or a menu.
    options : list of (str, object)
        The label and the value of each option.
    index : int
        The option that is chosen at first.
    """

    name: str
    label: str
    kind: str
    options: list
    index: int

    @property
    def labels(self):
        """The labels of the options."""
        return [label for label, _ in self.options]

    @property
    def values(self):
        """The values of the options."""
        return [value for _, value in self.options]

    @property
    def value(self):
        """The value that is chosen at first."""
        return self.values[self.index]


def control(name, options, start=None):
    """Return the control for some options; check them."""
    pairs = _pairs(name, options)
    for label, option in pairs:
        if not isinstance(option, Hashable):
            kind = type(option).__name__
            raise TypeError(
                f"{name} has an option that cannot be a key of a dict, "
                f"{label} ({kind}): pass a dict from labels to numbers or "
                "words"
            )
    if not pairs:
        raise ValueError(f"{name} has no options")
    labels = [label for label, _ in pairs]
    if len(set(labels)) < len(labels):
        raise ValueError(f"{name} has two options with one label: {labels}")
    values = [option for _, option in pairs]
    if start is not None and start not in values:
        raise ValueError(f"{name} cannot start at {start!r}: not an option")
    index = 0 if start is None else values.index(start)
    numbers = not isinstance(options, dict) and all(
        isinstance(v, Real) and not isinstance(v, bool) for v in values
    )
    kind = SLIDER if numbers else _kind(labels)
    return Control(name, _shown(name, options), kind, pairs, index)


def _shown(name, options):
    """Return the label of a control; a name of the caller's own stays."""
    label = name.replace("_", " ")
    trained = isinstance(options, TrainingSteps)
    known = label + OF_TRAINING if trained else label
    if known not in NAMES:
        return label
    return phrase(known).removesuffix(OF_TRAINING)


def _pairs(name, options):
    if isinstance(options, dict):
        return [(str(label), option) for label, option in options.items()]
    if isinstance(options, str) or not isinstance(options, Iterable):
        kind = type(options).__name__
        raise TypeError(f"{name} needs a sequence of options, got {kind}")
    plain = [getattr(o, "item", lambda o=o: o)() for o in options]
    return [(_label(option), option) for option in plain]


def _label(option):
    return f"{option:g}" if isinstance(option, float) else str(option)


def _kind(labels):
    letters = sum(map(len, labels))
    few = len(labels) <= MOST_BUTTONS and letters <= MOST_LETTERS
    return BUTTONS if few else MENU
