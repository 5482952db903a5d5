"""What a sheet says, before it is drawn: a head, columns, rows, notes, and room to sign."""

from __future__ import annotations

from dataclasses import dataclass


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
    """What is printed; ``foot`` has places for %(page)s and %(pages)s."""

    title: str
    name: str
    blocks: tuple[Block, ...]
    notes: tuple[str, ...] = ()
    foot: str = "%(page)s / %(pages)s"
