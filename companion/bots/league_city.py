"""A bot that plays by the rules of League City: GO, DONE for two tiles each, and points by words."""

from __future__ import annotations

from companion.bots.building import BuildingPlayer
from companion.bots.player import Likes
from companion.model.grid import runs

BONUS = 5
DIFFICULT = "JQXZ"


class LeagueCityPlayer(BuildingPlayer):
    """A bot at the Bananagrams of League City."""

    game = "league_city"
    likes = Likes(4, 1, 8, {"target": 20})
    begins = "go"
    exchanges = "trade"

    def finished(self) -> str:
        """Return the one call of this game."""
        return "done"

    def account(self) -> float:
        """Return the points of the own words as the player adds them up, by Daron's option.

        Two points for IT, two for PIT, three for SPIT, four for SPITE; three
        for each J, Q, X, Z; five for who finished first.
        """
        letters, known = self.desk.letters, self.vocabulary.known
        words = [run for run in runs(letters) if "".join(run.symbols) in known]
        total = sum(2 if len(word.symbols) == 2 else len(word.symbols) - 1 for word in words)
        total += 3 * sum(letters[place] in DIFFICULT for place in {p for word in words for p in word.places})
        return float(total + BONUS * self.done)
