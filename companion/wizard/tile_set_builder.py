"""Enrolment of a tile set from the page, symbol by symbol: each picture shows tiles of one symbol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from calibration.enrolment.enrol import Shot, enrol_labelled, examine
from calibration.enrolment.preview import preview
from calibration.enrolment.report import EnrolmentReport
from calibration.enrolment.storage import checked_name, parse_symbol, save_set
from companion.errors import BadEnrolment
from companion.model.grid import BLANK_SIGN
from companion.model.phrases import joined, phrase, phrase_n
from companion.model.set_up import EnrolmentProgress
from companion.model.tiles import TileSet
from companion.vision.camera_frame import CameraFrame, Frame, grey, to_bgr
from companion.vision.fewshot.sheet import MAX_EXAMPLES, MAX_SYMBOLS

MIN_SYMBOLS = 2


@dataclass(slots=True)
class TileSetBuilder:
    """A tile set in progress: its name, its symbols in order, and the picture of each symbol's tiles."""

    name: str
    order: tuple[str, ...]
    shots: dict[str, Shot] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, order: Sequence[str]) -> TileSetBuilder:
        """Return a set without pictures; raise BadTileSet or BadEnrolment for a bad name or bad symbols."""
        symbols = tuple(parse_symbol(word) for word in order)
        if len(set(symbols)) != len(symbols) or not MIN_SYMBOLS <= len(symbols) <= MAX_SYMBOLS:
            raise BadEnrolment(
                phrase(
                    "name each symbol once, %(least)s to %(most)s of them",
                    least=MIN_SYMBOLS,
                    most=MAX_SYMBOLS,
                )
            )
        return cls(checked_name(name), symbols)

    def add_example(self, frame: CameraFrame, symbol: str) -> str:
        """Set the tiles of a picture as the examples of a symbol; return a message with their number.

        Raises
        ------
        BadEnrolment
            Where the set has no such symbol, or the picture shows too few tiles or too many.
        """
        wanted = parse_symbol(symbol)
        if wanted not in self.order:
            raise BadEnrolment(phrase("%(symbol)s is none of the set's symbols", symbol=symbol))
        shot, fault = examine(grey(frame), [wanted])
        many = len(shot[1].detections)
        if many and not 2 <= many <= MAX_EXAMPLES:
            raise BadEnrolment(
                phrase_n(
                    "%(count)s tile is seen: lay 2 to %(most)s of %(symbol)s and nothing else, apart from "
                    "each other",
                    "%(count)s tiles are seen: lay 2 to %(most)s of %(symbol)s and nothing else, apart from "
                    "each other",
                    many,
                    most=MAX_EXAMPLES,
                    symbol=symbol,
                )
            )
        if fault:
            raise BadEnrolment(fault)
        self.shots[wanted] = shot
        return phrase_n(
            "%(count)s tile of %(symbol)s is taken.",
            "%(count)s tiles of %(symbol)s are taken.",
            many,
            symbol=symbol,
        )

    def picture(self, frame: Frame) -> Frame:
        """Return the last picture with each tile marked; the given frame where there is none."""
        if not self.shots:
            return frame
        picture, laid = list(self.shots.values())[-1]
        return preview(to_bgr(picture), laid)

    def save(self, folder: Path) -> tuple[TileSet, EnrolmentReport]:
        """Save the set in a folder; return it with its report.  Raises BadEnrolment."""
        if missing := [format_symbol(one) for one in self.order if one not in self.shots]:
            raise BadEnrolment(phrase("no picture shows %(missing)s yet", missing=" ".join(missing)))
        found = enrol_labelled([self.shots[symbol] for symbol in self.order])
        if found.problems or found.examples is None or found.report is None:
            raise BadEnrolment(joined([problem.text for problem in found.problems], "; "))
        return save_set(TileSet(self.name, self.order, None, {}), found.examples, folder), found.report

    def status(self) -> EnrolmentProgress:
        """Return the progress: the number of examples of each symbol."""
        many = (len(self.shots[one][1].detections) if one in self.shots else 0 for one in self.order)
        return EnrolmentProgress(self.name, tuple(map(format_symbol, self.order)), tuple(many))


def format_symbol(symbol: str) -> str:
    """Return a symbol as people write it."""
    return symbol or BLANK_SIGN
