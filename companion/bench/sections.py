"""The sections of the benchmark and what each measures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import companion
from calibration.evaluation import boards, drawn, oblique, second
from calibration.evaluation.boards import board_figures
from calibration.evaluation.drawn import drawn_figures
from calibration.evaluation.enrolled import enrolment_figures
from calibration.evaluation.figure import Figure
from calibration.evaluation.oblique import oblique_figures
from calibration.evaluation.played import game_figures
from calibration.evaluation.readings import Tell
from calibration.evaluation.second import second_figures
from companion.bench import calibration, words
from companion.bench.buttons import button_figures
from companion.bench.calibration import calibration_figures
from companion.bench.halls import hall_figures
from companion.bench.lens import lens_figures
from companion.bench.light import light_figures
from companion.bench.photographs import GAMES, photograph_figures, reader_of
from companion.bench.rules import rules_figures
from companion.bench.speed import speed_figures
from companion.bench.table import table_figures
from companion.bench.two_cameras import two_camera_figures
from companion.bench.web import web_figures
from companion.bench.words import word_figures
from companion.errors import NoFonts

SCENES = 10
SCENES_MAX = 10_000
SEEDS = {
    "drawn, speed": drawn.SEED,
    "boards": boards.SEED,
    "oblique": oblique.SEED,
    "second": second.SEED,
    "calibration": calibration.SEED,
    "words": words.SEED,
    "rules": 1,
}
"""What the random choices of the sections start from."""


@dataclass(frozen=True, slots=True)
class Measuring:
    """What is measured on: the shared folder, if there is one, and the number of drawn scenes."""

    shared: Path | None
    scenes: int
    tell: Tell


def reading(given: Measuring) -> Iterator[Figure]:
    """Yield how right photographs are read."""
    if given.shared is None:
        yield Figure.missing("photographs", "no folder shared beside the checkout; give it with --shared")
        return
    yield from photograph_figures(given.shared, given.tell)
    yield from game_figures(given.shared / GAMES, reader_of, given.tell)


def tables(given: Measuring) -> Iterator[Figure]:
    """Yield how right drawn tables are read."""
    return unless_fonts_lack("drawn tables", drawn_figures(given.scenes, reader_of, given.tell))


def on_boards(given: Measuring) -> Iterator[Figure]:
    """Yield how right drawn boards are read, by one camera and by two."""
    figures = chain(
        board_figures(given.scenes, reader_of, given.tell), two_camera_figures(given.scenes, given.tell)
    )
    return unless_fonts_lack("drawn boards", figures)


def at_every_scale(given: Measuring) -> Iterator[Figure]:
    """Yield how right tables are read that a camera sees aslant, and small tiles."""
    figures = oblique_figures(given.shared, given.scenes, reader_of, given.tell)
    return unless_fonts_lack("tables seen aslant", figures)


def speed(given: Measuring) -> Iterator[Figure]:
    """Yield how fast drawn tables are read."""
    return unless_fonts_lack("speed", speed_figures(given.tell))


def doubts(given: Measuring) -> Iterator[Figure]:
    """Yield what Tesseract adds where the network is in doubt."""
    given.tell("drawn tiles, read twice")
    return unless_fonts_lack("second reader", second_figures())


def measuring(given: Measuring) -> Iterator[Figure]:
    """Yield how well lenses, tables and hand-made tiles are learnt, and what the reader gains by it."""
    yield from lens_figures(given.tell)
    yield from unless_fonts_lack("light", light_figures(given.tell))
    yield from unless_fonts_lack("calibration", calibration_figures(given.scenes, given.tell))
    yield from unless_fonts_lack("hand-made tiles", enrolment_figures(given.scenes, given.tell))


def unless_fonts_lack(what: str, figures: Iterator[Figure]) -> Iterator[Figure]:
    """Yield figures, or why there are none where nothing can be drawn."""
    try:
        yield from figures
    except NoFonts as error:
        yield Figure.missing(what, str(error))


def judging(given: Measuring) -> Iterator[Figure]:
    """Yield how fast and how right words are judged."""
    return word_figures(given.shared, given.tell)


def rules(given: Measuring) -> Iterator[Figure]:
    """Yield how fast and how safe games are kept."""
    given.tell("playing and killing games")
    return rules_figures()


def phones(given: Measuring) -> Iterator[Figure]:
    """Yield how well the pages serve many phones."""
    given.tell("serving phones")
    return web_figures()


def at_table(given: Measuring) -> Iterator[Figure]:
    """Yield how soon the table answers."""
    given.tell("playing at a table in a process of its own")
    yield from table_figures()
    given.tell("pressing buttons that bounce")
    yield from button_figures()


def halls(given: Measuring) -> Iterator[Figure]:
    """Yield how well a hall follows many tables."""
    return hall_figures(given.tell)


SECTIONS: dict[str, Callable[[Measuring], Iterator[Figure]]] = {
    "reading": reading,
    "drawn": tables,
    "boards": on_boards,
    "oblique": at_every_scale,
    "speed": speed,
    "second": doubts,
    "calibration": measuring,
    "words": judging,
    "rules": rules,
    "web": phones,
    "table": at_table,
    "hall": halls,
}
"""Name of each section and what yields its figures."""


def shared_folder() -> Path | None:
    """Return the folder of photographs and lists beside the checkout, or in or beside the current one."""
    beside = (Path(companion.__file__).parents[2], Path.cwd(), Path.cwd().parent)
    return next((folder / "shared" for folder in beside if (folder / "shared").is_dir()), None)
