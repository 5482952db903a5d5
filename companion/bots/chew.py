"""A bot that plays by Chew's rules: a set face up, a reserve face down, Flip by Flip until it is Done."""

from __future__ import annotations

from companion.bots.building import BuildingPlayer
from companion.bots.player import Likes
from companion.rules import event as ev


class ChewPlayer(BuildingPlayer):
    """A bot at Chew's competitive Bananagrams."""

    game = "chew"
    likes = Likes(4, 2, 6, {"rounds": 1})
    exchanges = "draw_three"
    strip = 1.5
    places: tuple[int | None, ...] = ()

    def deal(self, many: int, face_down: int) -> None:
        """Take both sets: the reserve stays face down towards the middle."""
        for number, tile in enumerate(self.reach.take(many)):
            if number < face_down:
                self.desk.lay_down(tile)
            else:
                self.desk.lay_loose(tile)

    def heard(self, event: ev.Event) -> None:
        """Take in one event."""
        super().heard(event)
        if isinstance(event, ev.PlacesGiven):
            self.places = event.places
        if isinstance(event, ev.TilesTurned):
            for tile in self.desk.down[: event.counts[self.number - 1]]:
                self.desk.turn_up(tile)

    def finished(self) -> str:
        """Return FLIP while tiles lie face down, then DONE."""
        return "flip" if self.desk.down else "done"

    def account(self) -> float:
        """Return a point for each player who finished no earlier: all but one are done when it ends.

        Who was done in the same moment as others, which only the table can tell, shares their points.
        """
        if self.number not in self.order:
            return 1.0
        own = self.places[self.number - 1]
        tied = [self.order.index(seat) for seat in self.order if self.places[seat - 1] == own]
        return self.players - sum(tied) / len(tied)
