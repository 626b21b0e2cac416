"""The Korean edition: its catalogues, and the notebooks made from them.

`python book/_tools/korean.py update` writes `book/_korean/*.po`, one a page,
and `coursekit/korean.po`: new texts are empty there, changed ones are marked
`fuzzy`, with the English that they were translated from. `check` says what is
missing or does not fit. `write` makes the Korean book in `_build/ko`: pages,
and notebooks that can be opened and run.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "_ext"))

import catalogues
import korean_book


def update(chosen):
    """Bring catalogues up to date with the English."""
    for name, source in chosen.items():
        catalogues.update(name, source)
    return 0


def check(chosen):
    """Say what is not as it should be."""
    wrong = catalogues.check(chosen)
    for name, words, fault in wrong:
        print(f"{name}: {fault}\n    {words[:100]}")
    print(f"{len(wrong)} to do")
    return int(bool(wrong))


def main(command, *names):
    """Run a command, for some catalogues or for all."""
    if command == "write":
        print(f"the Korean book is in {korean_book.write()}")
        return 0
    found = catalogues.everything()
    chosen = {n: s for n, s in found.items() if not names or n in names}
    return {"update": update, "check": check}[command](chosen)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
