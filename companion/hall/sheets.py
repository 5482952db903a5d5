"""Sheets to print: their content, and their PDF, drawn by a process of its own.

Drawing needs fonts and seconds of CPU, which the pages' process must not spend.
"""

from __future__ import annotations

import base64
import json
import sys
from dataclasses import dataclass
from subprocess import PIPE

from companion import processes
from companion.errors import BadOutput
from companion.rules.record import to_jsonable


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its head, its share of the width, and how it is aligned (``L`` or ``R``)."""

    head: str
    share: float
    align: str = "L"


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a sheet under a head of its own: rows of texts, one a column; ``signers`` sign below."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    signers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet to print; ``foot`` has places for %(page)s and %(pages)s."""

    title: str
    name: str
    blocks: tuple[Block, ...]
    notes: tuple[str, ...] = ()
    foot: str = "%(page)s / %(pages)s"


DRAW_COMMAND = (sys.executable, "-P", "-m", "companion.hall.sheet_pdf")
"""Command that draws a sheet."""


def to_pdf(sheet: Sheet, paper: str, *, apart: bool = False) -> bytes:
    """Return a sheet as a PDF on a paper of ``PAPERS``; ``apart`` begins a page with each block.

    Raises
    ------
    BadOutput
        With the process's message, where it fails: a name may need fonts that are not installed.
    """
    request = json.dumps({"sheet": to_jsonable(sheet), "paper": paper, "apart": apart})
    try:
        with processes.start(DRAW_COMMAND, stdin=PIPE, stdout=PIPE, stderr=PIPE) as process:
            pdf, errors = process.communicate(request)
    except OSError as error:
        raise BadOutput(f"{DRAW_COMMAND[0]}: {error.strerror}") from error
    if process.returncode:
        raise BadOutput(errors.strip()[-300:])
    return base64.b64decode(pdf)
