"""What learners have written, right and wrong, for every exercise."""

import importlib
from pathlib import Path

from coursekit import exercises

LEARNERS = [
    importlib.import_module(path.stem)
    for path in sorted(Path(__file__).parent.glob("learners_*.py"))
]
CHECKS = {
    name.removeprefix("check_"): getattr(exercises, name)
    for name in exercises.__all__
}
RIGHT = {n: found for x in LEARNERS for n, found in x.RIGHT.items()}
WRONG = {n: found for x in LEARNERS for n, found in x.WRONG.items()}
