"""Checks as lines for the people at the table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hardware.cameras.checks import Check

MARKS = {True: ("✓", "32"), False: ("✗", "31"), None: ("·", "33")}
"""How each outcome is marked, and its colour on a terminal; the signs differ for who sees no colours."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A check with the part of the table that it is about."""

    part: str
    check: Check


def as_lines(shown: Shown, *, colour: bool) -> Iterator[str]:
    """Yield a check as a line, and below it how to mend what is wrong or might be better."""
    check = shown.check
    mark, code = MARKS[check.fine]
    if colour:
        mark = f"\033[{code}m{mark}\033[0m"
    grave = " (essential)" if check.fine is False and check.essential else ""
    first, *more = check.says.splitlines() or [""]
    yield f"{mark} {shown.part}: {check.what}: {first}{grave}"
    yield from (f"    {line}" for line in more)
    if check.mend and (check.fine is not True or shown.check.mend):
        yield f"    → {check.mend}"
