"""Compile all modules of /old.zip into /new.zip; runs in the page's Python.

A `.pyc` that names no time and is not checked against its source makes the
same file in every build, and costs nothing to load.
"""

import importlib._bootstrap_external as bootstrap
import importlib.util
import zipfile

DAY = (2020, 1, 1, 0, 0, 0)


def pyc(data, path, optimize):
    """Return the compiled form of a module."""
    code = compile(data, path, "exec", dont_inherit=True, optimize=optimize)
    return bootstrap._code_to_hash_pyc(
        code, importlib.util.source_hash(data), False
    )


def compile_zip(folder, sources, optimize):
    """Put each module's `.pyc` beside its source, or in place of it."""
    with (
        zipfile.ZipFile("/old.zip") as old,
        zipfile.ZipFile("/new.zip", "w", zipfile.ZIP_DEFLATED, True, 9) as new,
    ):

        def write(name, data):
            info = zipfile.ZipInfo(name, DAY)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            new.writestr(info, data)

        for name in sorted(old.namelist()):
            data = old.read(name)
            if not name.endswith(".py"):
                write(name, data)
                continue
            made = pyc(data, f"{folder}/{name}", optimize)
            if sources:
                write(name, data)
                cached = importlib.util.cache_from_source(name)
                write(cached, made)
            else:
                write(name + "c", made)
