"""A tile set of one's own, learnt symbol by symbol: each picture shows tiles of one symbol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from calibration.enrolment.enrol import Shot, enrol_labelled, examine
from calibration.enrolment.preview import preview
from calibration.enrolment.report import EnrolmentReport
from calibration.enrolment.storage import checked_name, save_set
from companion.errors import BadEnrolment
from companion.model.grid import BLANK_SIGN, is_symbol
from companion.model.phrases import joined, phrase, phrase_n
from companion.model.set_up import EnrolmentProgress
from companion.model.tiles import BLANK, TileSet
from companion.vision.fewshot.sheet import MOST_EXAMPLES, MOST_SYMBOLS
from companion.vision.picture import Frame, coloured, grey

LEAST_SYMBOLS = 2


@dataclass(slots=True)
class Learning:
    """The set so far: its name, its symbols in order, and of each the picture that shows its tiles."""

    name: str
    order: tuple[str, ...]
    shots: dict[str, Shot] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, order: Sequence[str]) -> Learning:
        """Return a set of which nothing is learnt yet; raise BadTileSet or BadEnrolment for a bad one."""
        symbols = tuple(symbol_of(word) for word in order)
        if len(set(symbols)) != len(symbols) or not LEAST_SYMBOLS <= len(symbols) <= MOST_SYMBOLS:
            raise BadEnrolment(
                phrase(
                    "name each symbol once, %(least)s to %(most)s of them",
                    least=LEAST_SYMBOLS,
                    most=MOST_SYMBOLS,
                )
            )
        return cls(checked_name(name), symbols)

    def take(self, frame: Frame, symbol: str) -> str:
        """Take the tiles of a picture as examples of a symbol, in place of those before; say what was seen.

        Raises
        ------
        BadEnrolment
            Where the set has no such symbol, or the picture shows too few tiles or too many.
        """
        wanted = symbol_of(symbol)
        if wanted not in self.order:
            raise BadEnrolment(phrase("%(symbol)s is none of the set's symbols", symbol=symbol))
        shot, fault = examine(grey(frame), [wanted])
        many = len(shot[1].detections)
        if many and not 2 <= many <= MOST_EXAMPLES:
            raise BadEnrolment(
                phrase_n(
                    "%(count)s tile is seen: lay 2 to %(most)s of %(symbol)s and nothing else, apart from "
                    "each other",
                    "%(count)s tiles are seen: lay 2 to %(most)s of %(symbol)s and nothing else, apart from "
                    "each other",
                    many,
                    most=MOST_EXAMPLES,
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
        """Return the picture that was taken last, each tile marked; the given one before any."""
        if not self.shots:
            return frame
        picture, laid = list(self.shots.values())[-1]
        return preview(coloured(picture), laid)

    def kept(self, folder: Path) -> tuple[TileSet, EnrolmentReport]:
        """Keep the set in a folder and return it, with how well it is read; raise BadEnrolment."""
        if missing := [shown(one) for one in self.order if one not in self.shots]:
            raise BadEnrolment(phrase("no picture shows %(missing)s yet", missing=" ".join(missing)))
        found = enrol_labelled([self.shots[symbol] for symbol in self.order])
        if found.problems or found.examples is None or found.report is None:
            raise BadEnrolment(joined([problem.text for problem in found.problems], "; "))
        return save_set(TileSet(self.name, self.order, None, {}), found.examples, folder), found.report

    def told(self) -> EnrolmentProgress:
        """Return how far it is learnt."""
        many = (len(self.shots[one][1].detections) if one in self.shots else 0 for one in self.order)
        return EnrolmentProgress(self.name, tuple(map(shown, self.order)), tuple(many))


def symbol_of(word: str) -> str:
    """Return a symbol as people write it; raise BadEnrolment for what cannot be one."""
    if not is_symbol(word) or word == ".":
        raise BadEnrolment(
            phrase("%(word)s is no symbol: one to eight characters without spaces", word=repr(word))
        )
    return BLANK if word == BLANK_SIGN else word


def shown(symbol: str) -> str:
    """Return a symbol as people write it."""
    return symbol or BLANK_SIGN
