"""A tile set of one's own, learnt symbol by symbol: each picture shows tiles of one symbol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from calibration.enrolment.keeping import checked_name, keep
from calibration.enrolment.laid import Laid, examples_of, laid_in
from calibration.enrolment.preview import preview
from calibration.enrolment.report import Report, report_of
from companion.errors import BadEnrolment
from companion.line.wizard import TilesTold
from companion.model.grid import BLANK_SIGN, is_symbol
from companion.model.tiles import BLANK, TileSet
from companion.reading.enrolled.features import Sight
from companion.reading.enrolled.leave_out import learnt
from companion.reading.enrolled.sheet import MOST_EXAMPLES, MOST_SYMBOLS
from companion.reading.picture import Frame, coloured, grey

LEAST_SYMBOLS = 2

@dataclass(slots=True)
class Learning:
    """The set so far: its name, its symbols in order, and of each the picture that shows its tiles."""

    name: str
    order: tuple[str, ...]
    shots: dict[str, tuple[Frame, Laid]] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, order: Sequence[str]) -> Learning:
        """Return a set of which nothing is learnt yet; raise BadTileSet or BadEnrolment for a bad one."""
        symbols = tuple(symbol_of(word) for word in order)
        if len(set(symbols)) != len(symbols) or not LEAST_SYMBOLS <= len(symbols) <= MOST_SYMBOLS:
            raise BadEnrolment(f"name each symbol once, {LEAST_SYMBOLS} to {MOST_SYMBOLS} of them")
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
            raise BadEnrolment(f"{symbol!r} is none of the set's symbols")
        picture = grey(frame)
        laid = laid_in(picture, [wanted])
        if not 2 <= len(laid.finds) <= MOST_EXAMPLES:
            raise BadEnrolment(
                f"{len(laid.finds)} tiles are seen; lay 2 to {MOST_EXAMPLES} of {symbol} and nothing else, "
                "apart from each other"
            )
        self.shots[wanted] = picture, laid
        return f"{len(laid.finds)} tiles of {symbol} are learnt."

    def picture(self, frame: Frame) -> Frame:
        """Return the picture that was taken last, each tile marked; the given one before any."""
        if not self.shots:
            return frame
        picture, laid = list(self.shots.values())[-1]
        return preview(coloured(picture), laid)

    def kept(self, folder: Path) -> tuple[TileSet, Report]:
        """Keep the set in a folder and return it, with how well it is read; raise BadEnrolment."""
        if missing := [shown(one) for one in self.order if one not in self.shots]:
            raise BadEnrolment(f"no picture shows {' '.join(missing)} yet")
        examples = examples_of([self.shots[symbol] for symbol in self.order])
        head, trial = learnt(Sight(), examples)
        report = report_of(head, trial)
        if report.misplaced or report.poor:
            named = " ".join(map(shown, report.misplaced)) or "the tiles"
            raise BadEnrolment(
                f"{named} cannot be told well from the others: take their pictures again, nearer and in even "
                "light, all the same way up. Nothing was kept"
            )
        return keep(TileSet(self.name, self.order, None, {}), examples, folder), report

    def told(self) -> TilesTold:
        """Return how far it is learnt."""
        many = (len(self.shots[one][1].finds) if one in self.shots else 0 for one in self.order)
        return TilesTold(self.name, tuple(map(shown, self.order)), tuple(many))

def symbol_of(word: str) -> str:
    """Return a symbol as people write it; raise BadEnrolment for what cannot be one."""
    if not is_symbol(word) or word == ".":
        raise BadEnrolment(f"{word!r} is no symbol: one to eight characters without spaces")
    return BLANK if word == BLANK_SIGN else word

def shown(symbol: str) -> str:
    """Return a symbol as people write it."""
    return symbol or BLANK_SIGN
