"""A bot that plays Bananagrams: it splits, builds, peels, dumps what it cannot use, and goes bananas."""

from __future__ import annotations

from companion.bots.building import BuildingPlayer
from companion.bots.player import Likes


class BananagramsPlayer(BuildingPlayer):
    """A bot at Bananagrams."""

    game = "bananagrams"
    likes = Likes(4, 1, 8)
    begins = "split"
    exchanges = "dump"

    def finished(self) -> str:
        """Return PEEL while there is a tile for everybody, then BANANAS."""
        return "peel" if self.reach.left >= self.active else "bananas"

    def account(self) -> float:
        """Return the one point of whoever has gone bananas first and was not found out."""
        return float(self.order[:1] == [self.number] and self.builder.sound(self.desk.letters))
