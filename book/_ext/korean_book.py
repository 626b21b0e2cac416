"""The Korean book: a folder that Jupyter Book builds like the English one.

It is written from the English pages and the catalogues. Notebooks in it can be
opened and run where they lie: what they read is beside them.
"""

import json
import os
import re

import catalogues
import edition
import yaml
from project import BUILD, ROOT, write_atomically

from coursekit import exercises, set_language

FOLDER = BUILD / "ko"
# What is no text is the English book's own.
LINKED = ["coursekit", "book/_static", "book/_templates", "book/data"]
LINKED += ["book/playground", "book/references.bib", "book/matplotlibrc"]
IMPORT = re.compile(r"^from coursekit import (.+)$", flags=re.M)
OTHER = re.compile(r'<a class=\\"other-edition\\".*?</a>')
CHECK = re.compile(r"^exercises\.(check_\w+)\(", flags=re.M)
LEFT_OPEN = re.compile(r"\(`(\w+)` still is `\.\.\.`\.\)$")
CODE_CELL = re.compile(r"```\{code-cell\}.*?```", flags=re.DOTALL)


def complete():
    """Say whether all is translated: only then there is a Korean book."""
    if not catalogues.CATALOGUES.is_dir():
        return False
    return not catalogues.check(catalogues.everything())


def write(folder=FOLDER):
    """Write all pages, the settings and the contents; return the folder."""
    (folder / "book").mkdir(parents=True, exist_ok=True)
    for name in LINKED:
        link(folder / name, ROOT / name)
    for name, path in catalogues.pages().items():
        text = page(name, path)
        put(folder / path.relative_to(ROOT), text)
    titles = edition.words_of("site")
    settings = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
    put(folder / "_config.yml", dumped(config(settings, titles)))
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    for part in contents["parts"]:
        part["caption"] = titles[part["caption"]]
    put(folder / "_toc.yml", dumped(contents))
    return folder


def link(new, old):
    """Let a name in the Korean book stand for a part of the English one."""
    if not new.is_symlink():
        new.symlink_to(os.path.relpath(old, new.parent))


def put(path, text):
    """Write a file, whole, unless it says the same already."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file() or path.read_text("utf-8") != text:
        write_atomically(path, text)


def dumped(settings):
    """Return settings as YAML."""
    return yaml.safe_dump(settings, allow_unicode=True, sort_keys=False)


def config(settings, titles):
    """Return the settings of the Korean book, made from the English ones."""
    sphinx = settings["sphinx"]
    options = sphinx["config"]["html_theme_options"]
    settings["title"] = titles[settings["title"]]
    sphinx["local_extensions"] = {"staging": str(ROOT / "book" / "_ext")}
    sphinx["config"]["language"] = "ko"
    options["logo"] = {k: titles[v] for k, v in options["logo"].items()}
    options["search_bar_text"] = titles[options["search_bar_text"]]
    return settings


# --- pages -------------------------------------------------------------------


def page(name, path):
    """Return a page in Korean, whose tools speak Korean too."""
    known = edition.words_of(name)
    text = catalogues.translated(path, lambda kind, words, old: known[words])
    if path.suffix == ".ipynb":
        there = os.path.relpath(path, FOLDER / "book")
        return notebook(turned(text, there))
    if path.suffix == ".md":
        return CODE_CELL.sub(lambda cell: spoken_by(cell[0]), text, count=1)
    return text


def turned(text, address):
    """Let the link to the Korean notebook lead back to the English one."""
    link = (
        f'<a class="other-edition" lang="en" hreflang="en" href="{address}">'
        "English notebook</a>"
    )
    return OTHER.sub(lambda _: json.dumps(link)[1:-1], text)


def notebook(text):
    """Let the cells of a notebook speak Korean from the first on."""
    content = json.loads(text)
    for cell in content["cells"]:
        if cell["cell_type"] != "code":
            continue
        tags = cell["metadata"].get("tags", [])
        if {"opening", "setup"} & {*tags}:
            source = spoken_by("".join(cell["source"]))
            cell["source"] = source.splitlines(keepends=True)
        if "exercise" in tags:
            answer_in_korean(cell)
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def spoken_by(source):
    r"""Let code that imports the course's tools set their language.

    >>> print(spoken_by("from coursekit import b, a\n\na()"))
    from coursekit import a, b, set_language
    <BLANKLINE>
    set_language("ko")
    a()
    """

    def imported(match):
        names = sorted([*match[1].split(", "), "set_language"])
        return f"from coursekit import {', '.join(names)}"

    if not IMPORT.search(source):
        return source
    head, _, rest = IMPORT.sub(imported, source).partition("\n\n")
    while re.match(r"import |from ", rest):  # another group of imports
        more, _, rest = rest.partition("\n\n")
        head += f"\n\n{more}"
    return f'{head}\n\nset_language("ko")\n{rest}'


def answer_in_korean(cell):
    """Put what the check says of an empty answer into the stored output."""
    name = CHECK.search("".join(cell["source"]))[1]
    for output in cell["outputs"]:
        text = " ".join("".join(output["data"]["text/plain"]).split())
        left = LEFT_OPEN.search(text)
        report = empty_answer(name, left[1] if left else "")
        output["data"]["text/plain"] = report.splitlines(keepends=True)


def empty_answer(name, variable):
    """Return what a check says in Korean of what is not written yet."""
    set_language("ko")
    try:
        check = getattr(exercises, name)
        return str(check.not_attempted(variable))
    finally:
        set_language("en")
