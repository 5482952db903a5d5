"""Which tiles a game is played with: those that the table's file names, or that the host chose for it."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path

from calibration.enrolment.keeping import own_folder, own_names, set_named
from companion.bootstrap.places import log_of
from companion.config.examples import example, examples
from companion.config.parse import parsed
from companion.config.table import TableConfig
from companion.errors import BadTileSet
from companion.model.phrases import phrase
from companion.model.status import TileSets
from companion.model.tiles import tile_set_names
from companion.vision.fewshot.sheet import read
from companion.words.store import write_file

LARGEST_FILE = 100_000


@dataclass(frozen=True, slots=True)
class Boxes:
    """The boxes of tiles that a table may be played with; ``config`` is the table as its file has it.

    What the host chose for a game is kept beside the log, and holds until the table's file names other
    tiles than it did then.
    """

    config: TableConfig

    @property
    def path(self) -> Path:
        """Where it is kept what the host chose."""
        return log_of(self.config).with_name("tiles.json")

    def told(self, game: str) -> TileSets:
        """Return what there is to choose from for a game, and what is taken where nobody chooses."""
        own, chosen = own_names(), self.chosen(game)
        known = [*tile_set_names(), *([] if self.config.tile_set in own else [self.config.tile_set])]
        return TileSets(chosen, tuple(dict.fromkeys(known)), tuple(own))

    def chosen(self, game: str) -> str:
        """Return the set that a game is played with; raise BadTileSet where what was chosen is unreadable."""
        return self._kept().get(game) or self.usual(game)

    def wanted(self, game: str, name: str) -> str:
        """Return the set that is asked for, or for none the one that is chosen; raise BadTileSet.

        It is there, and so are the pictures of its tiles.
        """
        told = self.told(game)
        if name and name not in {*told.known, *told.own}:
            raise BadTileSet(missed(name, phrase("there are none of that name")))
        try:
            looks = set_named(name or told.chosen).looks
            if looks is not None:
                read(looks)
        except BadTileSet as error:
            raise BadTileSet(missed(name or told.chosen, str(error))) from error
        return name or told.chosen

    def usual(self, game: str) -> str:
        """Return the set for a game that none was chosen for: the file's, unless it takes other tiles."""
        wanted, here = usual_tiles(game), usual_tiles(self.config.game)
        return self.config.tile_set if wanted is None or wanted == here else wanted

    def keep(self, game: str, name: str) -> None:
        """Keep which set was chosen for a game; raise BadTileSet or BadWordList where it cannot be."""
        body = {"over": self.config.tile_set, "chosen": self._kept() | {game: name}}
        write_file(self.path, json.dumps(body, ensure_ascii=False, indent=1).encode() + b"\n")

    def _kept(self) -> dict[str, str]:
        """Return the sets that were chosen, by their games."""
        try:
            with self.path.open("rb") as file:
                body = json.loads(file.read(LARGEST_FILE))
            over, chosen = str(body["over"]), {str(key): str(name) for key, name in body["chosen"].items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise BadTileSet(
                f"{self.path}, which keeps the tiles that were chosen, is damaged: delete it and choose again"
            ) from error
        return chosen if over == self.config.tile_set else {}


def usual_tiles(game: str) -> str | None:
    """Return the set that a game is played with as it comes from the shop, ``None`` where nobody knows."""
    return parsed(tomllib.loads(example(game)), TableConfig).tile_set if game in examples() else None


def place(name: str) -> str:
    """Return a set as a table's file names it, whether it is there or not."""
    known = name.endswith(".json") or name in tile_set_names()
    return name if known else str(own_folder() / f"{name}.json")


def missed(name: str, error: str) -> str:
    """Return that some tiles cannot be had, with what to do."""
    return phrase(
        "the tiles %(tiles)s cannot be had (%(error)s): choose others when you set up a game, or learn them "
        "again at /host/table",
        tiles=Path(name).stem,
        error=error,
    )
