"""Wrong answers as a table: one line each, put into a template."""


def wrong(*tables, **sources):
    """Return wrong answers by mistake, as lists of sources.

    Tables are templates and lines in turn. A line is the name of a mistake
    and the code that takes the place of ``<1>``, ``<2>``, ... in the
    template, with `` ~ `` between them. A whole source, or a
    list of them, comes by keyword.
    """
    found = {}
    for template, lines in zip(tables[::2], tables[1::2], strict=True):
        for line in lines.strip().splitlines():
            name, code = line.split(maxsplit=1)
            source = template
            for i, piece in enumerate(code.split(" ~ "), 1):
                source = source.replace(f"<{i}>", piece)
            found.setdefault(name, []).append(source)
    for name, source in sources.items():
        more = [source] if isinstance(source, str) else source
        found.setdefault(name, []).extend(more)
    return found
