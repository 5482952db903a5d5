"""Bots that play the games with tiles, hands and calls, and make human errors."""

from collections.abc import Mapping

from companion.bots.binary_scrabble import BinaryPlayer
from companion.bots.building import BananagramsPlayer, ChewPlayer, LeagueCityPlayer
from companion.bots.martian_boggle import MartianPlayer
from companion.bots.player import Player

BOT_CLASSES: Mapping[str, type[Player]] = {
    player.game: player
    for player in (BananagramsPlayer, ChewPlayer, LeagueCityPlayer, BinaryPlayer, MartianPlayer)
}
"""The bot of each game, in the order of the demo."""
