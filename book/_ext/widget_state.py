"""Sphinx extension: the JSON of the widgets cannot end its own script.

MyST-NB writes the state of a page's widgets, labels and frames included,
into a script element, and escapes nothing but a lower-case ``</script>``. A
browser also ends the script at ``</SCRIPT >``, and then runs what follows.
"""

from myst_nb.sphinx_ import NbMetadataCollector

STATE = "ipywidgets_state"  # as MyST-NB calls it


def escape_json(text):
    r"""Write each ``<`` of a JSON text so that HTML does not see it.

    >>> escape_json('["</SCRIPT >"]')
    '["\\u003c/SCRIPT >"]'
    """
    return text.replace("<", r"\u003c")


def on_read(app, doctree):
    """Escape the state that has just been read with a page."""
    env = app.env
    scripts = NbMetadataCollector.get_js_files(env, env.docname)
    if STATE in scripts:
        _, script = scripts[STATE]
        script["body"] = escape_json(script["body"])


def setup(app):
    """Connect the function above to the build."""
    app.connect("doctree-read", on_read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
