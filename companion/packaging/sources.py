"""Removal of docstrings from sources of Python packages, without a change of line numbers."""

from __future__ import annotations

import ast
from codecs import BOM_UTF8

CHANGE_NOTICE = b"# Changed for this package: docstrings are left out.\n"
"""Last line of each changed source, as some licences require."""

Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def without_docstrings(source: bytes) -> bytes:
    """Return a Python source in UTF-8 without docstrings; all other code keeps its line.

    It then runs as with ``python -OO``, but with its assertions.  A source whose lines do not end as on Linux
    is returned as it is.
    """
    if source.startswith(BOM_UTF8) or b"\r" in source:
        return source
    lines = source.split(b"\n")
    changed = False
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, Documented) and (found := docstring(node)) is not None:
            first, last = found.lineno - 1, (found.end_lineno or found.lineno) - 1
            before, after = lines[first][: found.col_offset], lines[last][found.end_col_offset :]
            alone = not before.strip() and not after.strip()
            # `from __future__` may follow nothing but text, and a body may not be empty
            instead = b"..." if not isinstance(node, ast.Module) else b"" if alone else b'""'
            lines[first] = before + instead + after
            lines[first + 1 : last + 1] = [b""] * (last - first)
            changed = True
    ending = b"" if source.endswith(b"\n") else b"\n"
    return b"\n".join(lines) + (ending + CHANGE_NOTICE if changed else b"")


def docstring(node: Documented) -> ast.Constant | None:
    """Return the text that documents a module, class or function, or ``None``."""
    match node.body:
        case [ast.Expr(value=ast.Constant(value=str()) as found), *_]:
            return found
        case _:
            return None
