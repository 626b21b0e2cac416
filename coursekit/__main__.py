"""Demonstrations on the command line: ``python -m coursekit --help``."""

import argparse
import os
import sys
from pathlib import Path

from coursekit.console import CommandError, printable, warn

TRANSLATE = """\
Translate sentences of the toy grammar from Korean into English, and draw
which Korean words each English word was read from. The first run trains the
model, which takes some ten seconds; later runs load it.
"""
EXAMPLES = """\
Words without quotes are one sentence. To translate several sentences, put
quotes around each, or end each with a mark (. ? !):

  python -m coursekit translate 나는 학교에 간다
  python -m coursekit translate "나는 학교에 간다" "우리는 집에 간다"
  python -m coursekit translate 나는 학교에 간다. 우리는 집에 간다.

The exit status is 0 if every sentence was translated correctly, 1 if one was
not, 2 if the command could not run, and 130 if you stopped it with Ctrl-C.
"""


class Parser(argparse.ArgumentParser):
    """A parser whose errors do not repeat control characters."""

    def error(self, message):
        """Print the usage and the message; exit with status 2."""
        super().error(printable(message))


def build_parser():
    """Return the parser of the command line."""
    parser = Parser(
        prog="python -m coursekit",
        description="The demonstrations of the course on attention.",
    )
    commands = parser.add_subparsers(
        dest="command", required=True, metavar="COMMAND"
    )
    text = "draw self-attention, causal and multi-head patterns"
    drawing = commands.add_parser(
        "visualize", help=text, description=f"{text.capitalize()}."
    )
    translating = commands.add_parser(
        "translate",
        help="translate Korean sentences of the toy grammar",
        description=TRANSLATE,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    translating.add_argument(
        "sentences",
        nargs="*",
        metavar="SENTENCE",
        help="Korean words or sentences (default: three examples)",
    )
    translating.add_argument(
        "--model",
        type=Path,
        metavar="FILE",
        default=Path("_build/translator.npz"),
        help="where to keep the trained model; a file that holds anything "
        "else is never overwritten (default: %(default)s)",
    )
    for command in (drawing, translating):
        command.add_argument(
            "--out",
            type=Path,
            metavar="FOLDER",
            default=Path("_build") / command.prog.split()[-1],
            help="where to write the pictures (default: %(default)s)",
        )
    return parser


def run(given):
    """Run the command that was given and return its exit status."""
    # Imported late: --help is quick, and Ctrl-C is caught meanwhile.
    from coursekit import translate, visualize

    if given.command == "visualize":
        visualize.run(given.out)
        return 0
    sentences = given.sentences or translate.SENTENCES
    return translate.run(sentences, given.model, given.out)


def main(arguments=None):
    """Read the command line, run the command, return its exit status."""
    # A terminal that cannot write Hangul shows question marks, no error.
    sys.stdout.reconfigure(errors="replace")
    given = build_parser().parse_args(arguments)
    try:
        return run(given)
    except KeyboardInterrupt:
        warn("Stopped.")
        return 130
    except BrokenPipeError:  # as in `| head`; nobody reads what is left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (CommandError, OSError) as error:
        warn(f"python -m coursekit {given.command}: {error}")
        return 2


if __name__ == "__main__":
    sys.exit(main())
