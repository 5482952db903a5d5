"""What a results sheet says, before it is drawn."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Player:
    """One row: what each round brought, as text, and all together."""

    place: str
    name: str
    rounds: tuple[str, ...]
    total: str


@dataclass(frozen=True, slots=True)
class Captions:
    """The sheet's own words, in the language spoken; ``page`` has places for %(page)s and %(pages)s."""

    place: str
    player: str
    total: str
    rulings: str
    page: str


@dataclass(frozen=True, slots=True)
class Results:
    """What a results sheet says.

    ``rounds`` are the heads of the rounds' columns, ``rulings`` and ``notes`` sentences, ``signers`` those
    who sign.
    """

    title: str
    name: str
    captions: Captions
    rounds: tuple[str, ...]
    players: tuple[Player, ...]
    rulings: tuple[str, ...]
    notes: tuple[str, ...]
    signers: tuple[str, ...]
