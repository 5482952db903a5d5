"""Players that know the games: they build from real tiles, move them by hand, call, and err now and then."""

from collections.abc import Mapping

from companion.bots.binary_scrabble import BinaryPlayer
from companion.bots.building import BananagramsPlayer, ChewPlayer, LeagueCityPlayer
from companion.bots.martian_boggle import MartianPlayer
from companion.bots.player import Player

PLAYERS: Mapping[str, type[Player]] = {
    player.game: player
    for player in (BananagramsPlayer, ChewPlayer, LeagueCityPlayer, BinaryPlayer, MartianPlayer)
}
"""What plays each game, in the order of the demo."""
