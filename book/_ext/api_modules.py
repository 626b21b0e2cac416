"""Sphinx extension: the API page has a section for each module of attnlib."""

from pkgutil import iter_modules

from docutils.parsers.rst import Directive


def api_modules(first=()):
    """Return attnlib's public modules: those named first, then the others."""
    import attnlib

    names = [module.name for module in iter_modules(attnlib.__path__)]
    public = sorted(name for name in names if not name.startswith("_"))
    order = [name for name in first if name in public]
    return order + [name for name in public if name not in order]


class ApiModules(Directive):
    """`.. api-modules:: ops masks`: a section for each module of attnlib."""

    optional_arguments = 99

    def run(self):
        """Hand the parser one heading and one automodule for each module."""
        lines = []
        for name in api_modules(self.arguments):
            title = f"attnlib.{name}"
            lines += [title, "-" * len(title), "", f".. automodule:: {title}"]
            lines += ["   :members:", ""]
        source = self.state.document.current_source
        self.state_machine.insert_input(["", *lines], source)
        return []


def setup(app):
    """Add the directive."""
    app.add_directive("api-modules", ApiModules)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
