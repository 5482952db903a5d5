"""The sections of the benchmark and what each measures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import companion
from calibration.evaluation import boards, drawn, enrolment, laying, moving, oblique, ocr
from calibration.evaluation.boards import board_metrics
from calibration.evaluation.drawn import drawn_metrics
from calibration.evaluation.enrolment import enrolment_metrics
from calibration.evaluation.game_frames import game_metrics
from calibration.evaluation.laying import board_laying_metrics, laying_metrics
from calibration.evaluation.metric import Metric, Progress
from calibration.evaluation.moving import moving_metrics
from calibration.evaluation.oblique import oblique_metrics
from calibration.evaluation.ocr import ocr_metrics
from companion.bench import calibration, lens, light, rules, two_cameras, words
from companion.bench.buttons import button_metrics
from companion.bench.calibration import calibration_metrics
from companion.bench.halls import hall_metrics
from companion.bench.lens import lens_metrics
from companion.bench.light import light_metrics
from companion.bench.photographs import GAMES_FOLDER, photograph_metrics, reader_of
from companion.bench.rules import rules_metrics
from companion.bench.speed import speed_metrics
from companion.bench.table import table_metrics
from companion.bench.two_cameras import two_camera_metrics
from companion.bench.web import web_metrics
from companion.bench.words import word_metrics
from companion.errors import NoFonts

DEFAULT_SCENES = 10
MAX_SCENES = 10_000
SEEDS = {
    "drawn, speed": drawn.SEED,
    "boards": boards.SEED,
    "oblique": oblique.SEED,
    "tracking": laying.SEED,
    "boards tracking": laying.BOARD_SEED,
    "moving": moving.SEED,
    "second": ocr.SEED,
    "two cameras": two_cameras.SEED,
    "lens": lens.SEED,
    "light": light.SEED,
    "calibration": calibration.SEED,
    "hand-made tiles": enrolment.SEED,
    "words": words.SEED,
    "rules": rules.SEED,
}
"""Seeds of the random choices of each section."""


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """Options of a benchmark: the shared folder, if any, the number of drawn scenes, and the progress
    display.
    """

    shared: Path | None
    scenes: int
    progress: Progress


def reading_section(given: BenchOptions) -> Iterator[Metric]:
    """Yield the accuracy on photographs."""
    if given.shared is None:
        yield Metric.not_measured(
            "photographs", "no folder shared beside the checkout; give it with --shared"
        )
        return
    yield from photograph_metrics(given.shared, given.progress)
    yield from game_metrics(given.shared / GAMES_FOLDER, reader_of, given.progress)


def drawn_section(given: BenchOptions) -> Iterator[Metric]:
    """Yield the accuracy on drawn tables."""
    return unless_fonts_missing("drawn tables", drawn_metrics(given.scenes, reader_of, given.progress))


def boards_section(given: BenchOptions) -> Iterator[Metric]:
    """Yield the accuracy on drawn boards, of one camera and of two."""
    metrics = chain(
        board_metrics(given.scenes, reader_of, given.progress),
        two_camera_metrics(given.scenes, given.progress),
    )
    return unless_fonts_missing("drawn boards", metrics)


def oblique_section(given: BenchOptions) -> Iterator[Metric]:
    """Yield the accuracy under strong perspective, on small tiles, in hard shadows and out of focus."""
    metrics = oblique_metrics(given.shared, given.scenes, reader_of, given.progress)
    return unless_fonts_missing("tables seen aslant", metrics)


def tracking_section(given: BenchOptions) -> Iterator[Metric]:
    """Yield the accuracy over the frames of games in which a hand lays tiles, or moves pyramids."""
    yield from laying_metrics(given.shared, given.scenes, reader_of, given.progress)
    boards = board_laying_metrics(given.scenes, reader_of, given.progress)
    yield from unless_fonts_missing("boards: tiles laid one after another", boards)
    volcano = moving_metrics(given.scenes, reader_of, given.progress)
    yield from unless_fonts_missing("Volcano: pyramids moved one after another", volcano)


def speed_section(given: BenchOptions) -> Iterator[Metric]:
    """Yield the times to read drawn tables."""
    return unless_fonts_missing("speed", speed_metrics(given.progress))


def ocr_section(given: BenchOptions) -> Iterator[Metric]:
    """Yield the accuracy of Tesseract, alone and where the network is in doubt."""
    given.progress("drawn tiles, read twice")
    return unless_fonts_missing("second reader", ocr_metrics())


def calibration_section(given: BenchOptions) -> Iterator[Metric]:
    """Yield the accuracy of lens and table calibration, of the light check and of enrolment."""
    yield from lens_metrics(given.progress)
    yield from unless_fonts_missing("light", light_metrics(given.progress))
    yield from unless_fonts_missing("calibration", calibration_metrics(given.scenes, given.progress))
    yield from unless_fonts_missing("hand-made tiles", enrolment_metrics(given.scenes, given.progress))


def unless_fonts_missing(what: str, metrics: Iterator[Metric]) -> Iterator[Metric]:
    """Yield metrics; where fonts are missing, yield one that says so."""
    try:
        yield from metrics
    except NoFonts as error:
        yield Metric.not_measured(what, str(error))


def words_section(given: BenchOptions) -> Iterator[Metric]:
    """Yield time and agreement of the word list."""
    return word_metrics(given.shared, given.progress)


def rules_section(given: BenchOptions) -> Iterator[Metric]:
    """Yield times of decisions and storage, and losses after kills."""
    given.progress("playing and killing games")
    return rules_metrics()


def web_section(given: BenchOptions) -> Iterator[Metric]:
    """Yield latencies of the pages with many phones."""
    given.progress("serving phones")
    return web_metrics()


def table_section(given: BenchOptions) -> Iterator[Metric]:
    """Yield response times of the table and of buttons."""
    given.progress("playing at a table in a process of its own")
    yield from table_metrics()
    given.progress("pressing buttons that bounce")
    yield from button_metrics()


def hall_section(given: BenchOptions) -> Iterator[Metric]:
    """Yield latencies and load of a hall with many tables."""
    return hall_metrics(given.progress)


SECTIONS: dict[str, Callable[[BenchOptions], Iterator[Metric]]] = {
    "reading": reading_section,
    "drawn": drawn_section,
    "boards": boards_section,
    "oblique": oblique_section,
    "tracking": tracking_section,
    "speed": speed_section,
    "second": ocr_section,
    "calibration": calibration_section,
    "words": words_section,
    "rules": rules_section,
    "web": web_section,
    "table": table_section,
    "hall": hall_section,
}
"""The function that yields the metrics of each section, by the section's name."""


def shared_folder() -> Path | None:
    """Return the folder of photographs and lists beside the checkout, or in or beside the current one."""
    beside = (Path(companion.__file__).parents[2], Path.cwd(), Path.cwd().parent)
    return next((folder / "shared" for folder in beside if (folder / "shared").is_dir()), None)
