"""The sections of the benchmark and what each measures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import companion
from calibration.evaluation import boards, drawn, oblique, ocr
from calibration.evaluation.boards import board_metrics
from calibration.evaluation.drawn import drawn_metrics
from calibration.evaluation.enrolment import enrolment_metrics
from calibration.evaluation.game_frames import game_metrics
from calibration.evaluation.metric import Metric, Progress
from calibration.evaluation.oblique import oblique_metrics
from calibration.evaluation.ocr import ocr_metrics
from companion.bench import calibration, words
from companion.bench.buttons import button_metrics
from companion.bench.calibration import calibration_metrics
from companion.bench.halls import hall_metrics
from companion.bench.lens import lens_metrics
from companion.bench.light import light_metrics
from companion.bench.photographs import GAMES, photograph_metrics, reader_of
from companion.bench.rules import rules_metrics
from companion.bench.speed import speed_metrics
from companion.bench.table import table_metrics
from companion.bench.two_cameras import two_camera_metrics
from companion.bench.web import web_metrics
from companion.bench.words import word_metrics
from companion.errors import NoFonts

SCENES = 10
SCENES_MAX = 10_000
SEEDS = {
    "drawn, speed": drawn.SEED,
    "boards": boards.SEED,
    "oblique": oblique.SEED,
    "second": ocr.SEED,
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
    progress: Progress


def reading(given: Measuring) -> Iterator[Metric]:
    """Yield how right photographs are read."""
    if given.shared is None:
        yield Metric.not_measured(
            "photographs", "no folder shared beside the checkout; give it with --shared"
        )
        return
    yield from photograph_metrics(given.shared, given.progress)
    yield from game_metrics(given.shared / GAMES, reader_of, given.progress)


def tables(given: Measuring) -> Iterator[Metric]:
    """Yield how right drawn tables are read."""
    return unless_fonts_lack("drawn tables", drawn_metrics(given.scenes, reader_of, given.progress))


def on_boards(given: Measuring) -> Iterator[Metric]:
    """Yield how right drawn boards are read, by one camera and by two."""
    metrics = chain(
        board_metrics(given.scenes, reader_of, given.progress),
        two_camera_metrics(given.scenes, given.progress),
    )
    return unless_fonts_lack("drawn boards", metrics)


def at_every_scale(given: Measuring) -> Iterator[Metric]:
    """Yield how right tables are read that a camera sees aslant, and small tiles."""
    metrics = oblique_metrics(given.shared, given.scenes, reader_of, given.progress)
    return unless_fonts_lack("tables seen aslant", metrics)


def speed(given: Measuring) -> Iterator[Metric]:
    """Yield how fast drawn tables are read."""
    return unless_fonts_lack("speed", speed_metrics(given.progress))


def doubts(given: Measuring) -> Iterator[Metric]:
    """Yield what Tesseract adds where the network is in doubt."""
    given.progress("drawn tiles, read twice")
    return unless_fonts_lack("second reader", ocr_metrics())


def measuring(given: Measuring) -> Iterator[Metric]:
    """Yield how well lenses, tables and hand-made tiles are learnt, and what the reader gains by it."""
    yield from lens_metrics(given.progress)
    yield from unless_fonts_lack("light", light_metrics(given.progress))
    yield from unless_fonts_lack("calibration", calibration_metrics(given.scenes, given.progress))
    yield from unless_fonts_lack("hand-made tiles", enrolment_metrics(given.scenes, given.progress))


def unless_fonts_lack(what: str, metrics: Iterator[Metric]) -> Iterator[Metric]:
    """Yield metrics, or why there are none where nothing can be drawn."""
    try:
        yield from metrics
    except NoFonts as error:
        yield Metric.not_measured(what, str(error))


def judging(given: Measuring) -> Iterator[Metric]:
    """Yield how fast and how right words are judged."""
    return word_metrics(given.shared, given.progress)


def rules(given: Measuring) -> Iterator[Metric]:
    """Yield how fast and how safe games are kept."""
    given.progress("playing and killing games")
    return rules_metrics()


def phones(given: Measuring) -> Iterator[Metric]:
    """Yield how well the pages serve many phones."""
    given.progress("serving phones")
    return web_metrics()


def at_table(given: Measuring) -> Iterator[Metric]:
    """Yield how soon the table answers."""
    given.progress("playing at a table in a process of its own")
    yield from table_metrics()
    given.progress("pressing buttons that bounce")
    yield from button_metrics()


def halls(given: Measuring) -> Iterator[Metric]:
    """Yield how well a hall follows many tables."""
    return hall_metrics(given.progress)


SECTIONS: dict[str, Callable[[Measuring], Iterator[Metric]]] = {
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
"""Name of each section and what yields its metrics."""


def shared_folder() -> Path | None:
    """Return the folder of photographs and lists beside the checkout, or in or beside the current one."""
    beside = (Path(companion.__file__).parents[2], Path.cwd(), Path.cwd().parent)
    return next((folder / "shared" for folder in beside if (folder / "shared").is_dir()), None)
