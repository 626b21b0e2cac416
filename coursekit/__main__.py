"""Demonstrations on the command line: ``python -m coursekit --help``."""

import argparse
import sys
from pathlib import Path

from coursekit import translate, visualize


def main(arguments=None):
    """Read the command line, run the command, return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m coursekit")
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser(
        "visualize", help="draw self-attention, causal and multi-head patterns"
    )
    translating = commands.add_parser(
        "translate", help="translate Korean sentences of the toy grammar"
    )
    translating.add_argument(
        "sentences",
        nargs="*",
        default=translate.SENTENCES,
        help="Korean sentences (default: three examples)",
    )
    translating.add_argument(
        "--model",
        type=Path,
        default=Path("_build/translator.npz"),
        help="where the trained model is kept (default: %(default)s)",
    )
    for command in (drawing, translating):
        command.add_argument(
            "--out",
            type=Path,
            default=Path("_build") / command.prog.split()[-1],
            help="the folder to write to (default: %(default)s)",
        )
    given = parser.parse_args(arguments)
    # A terminal that cannot write Hangul shows question marks, no error.
    sys.stdout.reconfigure(errors="replace")
    if given.command == "visualize":
        return visualize.run(given.out)
    return translate.run(given.sentences, given.model, given.out)


if __name__ == "__main__":
    sys.exit(main())
