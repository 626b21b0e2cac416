"""Sphinx extension: buttons and links that lead to the book's repository."""

import os
import re
import subprocess
from pathlib import Path

from project import ROOT

BINDER = "https://mybinder.org"
# Binder writes the Korean notebooks when it makes its image.
FOLDERS = {"en": "", "ko": "_build/ko"}


def normalise_repository(address):
    """Return `https://host/owner/name` of a GitHub or GitLab address, or None.

    >>> normalise_repository("git@github.com:ada/attention.git")
    'https://github.com/ada/attention'
    >>> normalise_repository("https://token@gitlab.com/ada/attention/")
    'https://gitlab.com/ada/attention'
    >>> normalise_repository("/srv/git/attention") is None
    True
    """
    pattern = (
        r"(?:(?:https?|ssh|git)://)?(?:[^@/\s]+@)?"
        r"((?:[\w-]+\.)*(?:github|gitlab)[\w.-]*)(?::\d+)?[:/]"
        r"([\w.-]+(?:/[\w.-]+)+)"
    )
    address = address.strip().removesuffix("/").removesuffix(".git")
    match = re.fullmatch(pattern, address)
    return f"https://{match[1]}/{match[2]}" if match else None


def repository(environ=os.environ, root=ROOT):
    """Return where the book's source lives, or None.

    The variable BOOK_REPOSITORY decides, and empty means "nowhere"; without
    it the git remote `origin` is asked.
    """
    address = environ.get("BOOK_REPOSITORY")
    if address is None:
        command = ["git", "-C", str(root), "remote", "get-url", "origin"]
        try:
            answer = subprocess.run(command, capture_output=True, text=True)
        except FileNotFoundError:
            return None
        address = answer.stdout
    return normalise_repository(address)


def repository_options(url, branch="main", folder=""):
    """Return the theme's options for a repository; without one, no buttons.

    `folder` is where the notebooks lie that are launched.
    """
    known = url is not None
    return {
        "repository_url": url or "",
        "repository_branch": branch,
        "path_to_docs": folder,
        "use_repository_button": known,
        "use_issues_button": known,
        "use_edit_page_button": known,
        "launch_buttons": {
            "binderhub_url": BINDER,
            "notebook_interface": "jupyterlab",
        }
        if known
        else {},
    }


def on_config(app, config):
    """Tell the theme where the repository is, and the notebooks in it."""
    folder = FOLDERS[config.language]
    options = repository_options(repository(), folder=folder)
    config.html_theme_options.update(options)


def on_page(app, pagename, templatename, context, doctree):
    """Give the footer its edit link; launch nothing that is no notebook."""
    url = context.get("theme_repository_url")
    if not url or doctree is None:
        return
    source = Path(app.env.doc2path(pagename)).relative_to(app.srcdir)
    branch = context["theme_repository_branch"]
    korean = app.config.language == "ko"
    edited = korean_source(source) if korean else source
    context["edit_source_url"] = f"{url}/edit/{branch}/{edited.as_posix()}"
    for group in context["header_buttons"]:
        for button in group.get("buttons", []):
            if button.get("label") == "source-edit-button":
                button["url"] = context["edit_source_url"]
    if source.suffix != ".ipynb":
        context["header_buttons"] = [
            button
            for button in context["header_buttons"]
            if button.get("label") != "launch-buttons"
        ]


def korean_source(source):
    """Return the catalogue of a page, where its Korean is written.

    >>> korean_source(Path("book/by-hand/01-lookup.md")).as_posix()
    'book/_korean/by-hand-01-lookup.po'
    """
    name = "-".join(source.with_suffix("").parts[1:])
    return Path("book", "_korean", f"{name}.po")


def setup(app):
    """Connect the functions above to the build."""
    app.connect("config-inited", on_config, priority=100)
    app.connect("html-page-context", on_page, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
