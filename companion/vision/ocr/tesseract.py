"""Tesseract as a reader of symbols: many tiles in one process, bounded in number.

Upright it reads 78 % of drawn tiles that a bad camera took, is silent on 17 %, and wrong on 1 % of those
that it is sure of.  It loses most I, many D and B, and takes what is blurred for an O.  Signs and words of
letters it reads badly; the network knows those.  ``companion bench second`` measures it anew.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from pytesseract import TesseractError, TesseractNotFoundError, get_languages
from pytesseract.pytesseract import run_and_get_output

from companion.errors import BadPicture
from companion.vision.ocr.languages import Vocabulary, languages_for, meaning, vocabulary
from companion.vision.ocr.page import COPIES, page

log = logging.getLogger(__name__)

MOST = 48
"""Tiles read in one picture, the first of those given: a count, so that no answer depends on how busy the
machine is."""

HANGS_S = 120.0
"""A process that takes longer hangs: ``PAGES`` take a tenth of a second of one processor."""

MOST_NAMED = 10
"""Unreadable characters that a warning names."""

PAGES = 32
"""Pages read by one process: what is lost where it fails."""

SETTINGS = (
    "--psm 10 -c load_system_dawg=0 -c load_freq_dawg=0 -c tessedit_do_invert=0"
    " -c tessedit_create_tsv=1 -c tessedit_char_whitelist="
)
"""One symbol a page, no dictionary, black on white, confidences, and no other characters than follow.

Of the ways to see a page 10 (a letter) and 7 (a line) read 77 % of 1,040 drawn tiles, 13 (a raw line)
68 % and 8 (a word) 65 %.
"""

NOTHING = vocabulary((), ())
"""What can be read where Tesseract is not."""

TRUST = ((0, 40, 60, 80, 95, 100), (0.4, 0.65, 0.9, 0.96, 0.99, 0.995))
"""Tesseract's own confidence in an upright symbol, and how often it is right."""

UPRIGHT = ((0, 30, 60, 90, 100), (0.4, 0.8, 2.0, 5.0, 40.0))
"""Its confidence in a page, and how much oftener it is so sure of an upright symbol than of a turned one."""

HALF_SURE = 20.0
"""As sure as a reading counts that has not as many symbols as the page."""

ODD = 0.2
"""The same of a page that it cannot read."""


class Read(NamedTuple):
    """What Tesseract read on a page, without spaces, and how sure it is, 0 to 100."""

    text: str
    sure: float


class Job(NamedTuple):
    """One tile in one turn, and its page."""

    tile: int
    turn: int
    page: NDArray[np.uint8]


class Tesseract:
    """The second reader; safe to call from several threads.

    Where Tesseract or its data for a set's language is not installed, it warns once and stays silent; so it
    does from then on where a process hangs.  Its processes have one thread each, unless ``OMP_THREAD_LIMIT``
    in the environment says otherwise: several wait for each other and take twice the time.

    Parameters
    ----------
    most
        Tiles read in one picture; those after them stay silent.
    hangs_s
        Seconds after which a process counts as hanging and is ended.
    """

    def __init__(self, most: int = MOST, hangs_s: float = HANGS_S) -> None:
        self._most, self._hangs_s = most, hangs_s
        os.environ.setdefault("OMP_THREAD_LIMIT", "1")
        self._installed: frozenset[str] | None = None
        self._warned: set[str] = set()

    def symbol_probabilities(
        self,
        cuts: NDArray[np.uint8],
        symbols: tuple[str, ...],
        turns: NDArray[np.intp] | None = None,
    ) -> NDArray[np.float64]:
        """Return how likely each symbol in each quarter turn is on each tile, as ``SymbolReader`` says.

        Raises BadPicture where the crops are none.
        """
        if cuts.dtype != np.uint8 or cuts.ndim != 3 or cuts.shape[1] != cuts.shape[2]:
            raise BadPicture(f"crops are uint8 of shape (n, side, side), got {cuts.dtype} {cuts.shape}")
        trust = np.zeros((len(cuts), len(symbols), 4))
        odds = _unread(len(cuts), turns)
        known = self._known(symbols) if len(cuts) else NOTHING
        jobs = _jobs(cuts[: self._most], odds) if known.symbols else []
        for start in range(0, len(jobs), PAGES):
            some = jobs[start : start + PAGES]
            for job, read in zip(some, self._read(some, known), strict=False):
                k, times = known.meant(read.text)
                sure = read.sure if times == COPIES else min(read.sure, HALF_SURE)
                odds[job.tile, job.turn] = ODD if k is None else np.interp(sure, *UPRIGHT)
                if k is not None:
                    trust[job.tile, :, job.turn] = np.interp(sure, *TRUST) * meaning(symbols, k)
        return np.asarray(trust * (odds / odds.sum(1, keepdims=True))[:, None])

    def _known(self, symbols: tuple[str, ...]) -> Vocabulary:
        """Return what a set's symbols may be read as; warn of what cannot be read."""
        if self._installed is None:
            self._installed = self._languages()
        if not self._installed:
            return NOTHING
        chosen = languages_for(symbols, self._installed)
        if chosen.missing:
            packages = " ".join(f"tesseract-ocr-{name}" for name in chosen.missing)
            self._warn(f"some symbols get no second reading until you run: sudo apt install {packages}")
        if chosen.strange:
            some = " ".join(chosen.strange[:MOST_NAMED])
            self._warn(f"no language of Tesseract is known for {some!r}: no second reading of that")
        return vocabulary(symbols, chosen.used)

    def _languages(self) -> frozenset[str]:
        """Return the languages that are installed; none where Tesseract is not."""
        try:
            installed = frozenset(get_languages())
        except TesseractNotFoundError:
            installed = frozenset()
        if not installed:
            self._warn("doubts get no second reading until you run: sudo apt install tesseract-ocr")
        return installed

    def _read(self, jobs: Sequence[Job], known: Vocabulary) -> list[Read]:
        """Return what stands on some pages; nothing where Tesseract fails or has hung."""
        if not self._installed:
            return []
        try:
            return _reads(_table(jobs, known, self._hangs_s), len(jobs))
        except TesseractError as error:
            self._warn(f"Tesseract failed, so there is no second reading: {error.message}")
        except RuntimeError:  # so pytesseract tells that a process took too long
            self._installed = frozenset()
            self._warn(f"Tesseract did not answer within {self._hangs_s:g} s: no second reading from now on")
        except OSError as error:
            self._warn(f"Tesseract cannot be run, so there is no second reading: {error}")
        except (LookupError, ValueError) as error:
            self._warn(f"Tesseract's answer cannot be understood, so there is no second reading: {error}")
        return []

    def _warn(self, text: str) -> None:
        """Say something once."""
        if text not in self._warned:
            self._warned.add(text)
            log.warning("%s", text)


def missing_packages(symbols: Sequence[str]) -> tuple[str, ...]:
    """Return the packages to install so that a set's symbols can be read, as far as Tesseract can at all."""
    try:
        installed = get_languages()
    except TesseractNotFoundError:
        return ("tesseract-ocr",)
    return tuple(f"tesseract-ocr-{name}" for name in languages_for(symbols, installed).missing)


def _unread(tiles: int, turns: NDArray[np.intp] | None) -> NDArray[np.float64]:
    """Return how likely each turn is before a page is read: 1, or 0 where another is known, (n, 4)."""
    if turns is None:
        return np.ones((tiles, 4))
    return np.where((turns[:, None] < 0) | (turns[:, None] % 4 == np.arange(4)), 1.0, 0.0)


def _jobs(cuts: NDArray[np.uint8], odds: NDArray[np.float64]) -> list[Job]:
    """Return the pages to read: one for each turn that a tile may have, none without ink."""
    tries = [(k, turn) for k in range(len(cuts)) for turn in range(4) if odds[k, turn]]
    pages = [(k, turn, page(np.rot90(cuts[k], turn))) for k, turn in tries]
    return [Job(k, turn, sheet) for k, turn, sheet in pages if sheet is not None]


def _table(jobs: Sequence[Job], known: Vocabulary, hangs_s: float) -> str:
    """Return Tesseract's table of what it reads on some pages; raise RuntimeError or OSError.

    All pages go to one process in one file: a tile then takes 5 ms of the processor, against 100 ms in a
    process of its own.
    pytesseract's ``image_to_data`` would do the same, but asks for the version first, without a time
    limit, and ends the program where it does not understand the answer.
    """
    first, *others = [Image.fromarray(job.page) for job in jobs]
    with TemporaryDirectory(prefix="companion-") as folder:
        book = Path(folder, "pages.tiff")
        first.save(book, save_all=True, append_images=others)
        languages, settings = "+".join(known.languages), SETTINGS + known.allowed
        return str(run_and_get_output(str(book), "tsv", languages, settings, timeout=hangs_s))


def _reads(table: str, pages: int) -> list[Read]:
    """Return what stands on each page, from Tesseract's table; a page without a word reads ``""``."""
    words: dict[int, list[Read]] = {number: [] for number in range(1, pages + 1)}
    for line in table.splitlines()[1:]:
        level, number, *_, sure, text = line.split("\t")
        if level == "5":
            words[int(number)].append(Read(text.strip(), float(sure)))
    return [
        Read("".join(word.text for word in some), min((word.sure for word in some), default=0.0))
        for some in words.values()
    ]
