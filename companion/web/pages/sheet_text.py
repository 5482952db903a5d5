"""The content of a results sheet."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Player:
    """One row: a player's result of each round, as text, and the total."""

    place: str
    name: str
    rounds: tuple[str, ...]
    total: str


@dataclass(frozen=True, slots=True)
class Captions:
    """The sheet's captions, in the current language; ``page`` has places for %(page)s and %(pages)s."""

    place: str
    player: str
    total: str
    rulings: str
    page: str


@dataclass(frozen=True, slots=True)
class Results:
    """The content of a results sheet.

    ``rounds`` are the heads of the rounds' columns, ``rulings`` and ``notes`` sentences, ``signers`` the
    names of those who sign.
    """

    title: str
    name: str
    captions: Captions
    rounds: tuple[str, ...]
    players: tuple[Player, ...]
    rulings: tuple[str, ...]
    notes: tuple[str, ...]
    signers: tuple[str, ...]
