"""The tile set of each game: the host's choice, else that of the table's file."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path

from calibration.enrolment.storage import own_folder, own_names, set_named
from companion.bootstrap.paths import log_path
from companion.config.examples import example, examples
from companion.config.parse import parsed
from companion.config.table import TableConfig
from companion.errors import BadTileSet
from companion.files import write_atomically
from companion.model.phrases import phrase
from companion.model.status import TileSets
from companion.model.tiles import tile_set_names
from companion.vision.fewshot.sheet import read_sheet

MAX_FILE_BYTES = 100_000


@dataclass(frozen=True, slots=True)
class TileSetChoice:
    """The host's choice of a tile set for each game; ``config`` is the table as its file has it.

    Choices are saved in a JSON file beside the log.  They are void once the table's file names another tile
    set than at the time of the choice.
    """

    config: TableConfig

    @property
    def path(self) -> Path:
        """The JSON file of the choices."""
        return log_path(self.config).with_name("tiles.json")

    def choices(self, game: str) -> TileSets:
        """Return the chosen tile set of a game, and all that may be chosen."""
        own, chosen = own_names(), self.chosen(game)
        known = [*tile_set_names(), *([] if self.config.tile_set in own else [self.config.tile_set])]
        return TileSets(chosen, tuple(dict.fromkeys(known)), tuple(own))

    def chosen(self, game: str) -> str:
        """Return the tile set of a game; raise BadTileSet where the saved choices cannot be read."""
        return self._saved().get(game) or self.default(game)

    def validated(self, game: str, name: str) -> str:
        """Return a tile set by name, or for an empty name the chosen one.

        Raises BadTileSet where the set or the pictures of its tiles cannot be read.
        """
        choices = self.choices(game)
        if name and name not in {*choices.known, *choices.own}:
            raise BadTileSet(unavailable_text(name, phrase("there are none of that name")))
        try:
            looks = set_named(name or choices.chosen).looks
            if looks is not None:
                read_sheet(looks)
        except BadTileSet as error:
            raise BadTileSet(unavailable_text(name or choices.chosen, str(error))) from error
        return name or choices.chosen

    def default(self, game: str) -> str:
        """Return the tile set without a choice: the file's, unless the game needs other tiles."""
        wanted, here = default_tile_set(game), default_tile_set(self.config.game)
        return self.config.tile_set if wanted is None or wanted == here else wanted

    def save(self, game: str, name: str) -> None:
        """Save the choice for a game; raise BadTileSet where that fails."""
        body = {"over": self.config.tile_set, "chosen": self._saved() | {game: name}}
        try:
            write_atomically(self.path, json.dumps(body, ensure_ascii=False, indent=1).encode() + b"\n")
        except OSError as error:
            raise BadTileSet(f"{self.path} cannot be written: {error.strerror}") from error

    def _saved(self) -> dict[str, str]:
        """Return the saved choices, by game."""
        try:
            with self.path.open("rb") as file:
                body = json.loads(file.read(MAX_FILE_BYTES))
            over, chosen = str(body["over"]), {str(key): str(name) for key, name in body["chosen"].items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise BadTileSet(
                f"{self.path}, which keeps the tiles that were chosen, is damaged: delete it and choose again"
            ) from error
        return chosen if over == self.config.tile_set else {}


def default_tile_set(game: str) -> str | None:
    """Return the tile set of a game's example, ``None`` for a game without an example."""
    return parsed(tomllib.loads(example(game)), TableConfig).tile_set if game in examples() else None


def tile_set_reference(name: str) -> str:
    """Return a tile set's name, or the path of an enrolled one, as a table's file has it."""
    known = name.endswith(".json") or name in tile_set_names()
    return name if known else str(own_folder() / f"{name}.json")


def unavailable_text(name: str, error: str) -> str:
    """Return the message that a tile set cannot be read, and what to do about it."""
    return phrase(
        "the tiles %(tiles)s cannot be had (%(error)s): choose others when you set up a game, or learn them "
        "again at /host/table",
        tiles=Path(name).stem,
        error=error,
    )
