"""OCR by Tesseract: many tiles in one process, bounded in number, each as a page of clean black ink.

It reads 77 % of drawn upright tiles of a bad camera, gives no answer on 21 %, and errs on none of those that
it is sure of.  It misses most I, many D and B, and reads blurred letters as O.  It reads signs and words of
letters badly; the network is better there.  ``companion bench second`` measures it.
"""

from __future__ import annotations

import logging
import os
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image
from pytesseract import TesseractError, TesseractNotFoundError, get_languages
from pytesseract.pytesseract import run_and_get_output

from companion.errors import BadPicture

Grey = NDArray[np.uint8]

log = logging.getLogger(__name__)

SIGNS = "0123456789=+-−–x×/÷"
LATIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LETTERS_OF_LANGUAGE = {
    "eng": LATIN,
    "deu": LATIN + "ÄÖÜẞ",
    "fin": LATIN + "ÄÅÖ",
    "swe": LATIN + "ÄÅÖ",
    "dan": LATIN + "ÅÆØ",
    "nor": LATIN + "ÅÆØ",
    "est": LATIN + "ÄÕÖÜŠŽ",
    "spa": LATIN + "ÁÉÍÑÓÚÜ",
    "por": LATIN + "ÁÂÃÀÇÉÊÍÓÔÕÚ",
    "fra": LATIN + "ÀÂÆÇÈÉÊËÎÏÔŒÙÛÜŸ",
    "pol": LATIN + "ĄĆĘŁŃÓŚŹŻ",
    "ces": LATIN + "ÁČĎÉĚÍŇÓŘŠŤÚŮÝŽ",
    "hrv": LATIN + "ĆČĐŠŽ",
    "hun": LATIN + "ÁÉÍÓÖŐÚÜŰ",
    "isl": LATIN + "ÁÆÉÍÐÓÖÚÝÞ",
    "ell": "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ",
    "rus": "АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ",
    "ukr": "АБВГҐДЕЄЖЗИІЇЙКЛМНОПРСТУФХЦЧШЩЬЮЯ",
    "heb": "אבגדהוזחטיכלמנסעפצקרשת",
}
"""Capitals in each language's data; all have the signs too."""

HOMOGLYPHS = {letter: letter.lower() for letter in "COSVWXZUPK"} | {
    "O": "o0",
    "0": "Oo",
    "1": "Il",
    "x": "×X",
    "-": "−–",
    "/": "÷",
}
"""Characters that a single symbol is indistinguishable from: it may be read as one that the set lacks.

Small letters: only those that look like their capitals.  Without them Tesseract halves its confidence between
the two cases.
"""


class Languages(NamedTuple):
    """The languages to load for a set, those to install, and the symbols that none can read."""

    used: tuple[str, ...]
    missing: tuple[str, ...]
    strange: tuple[str, ...]


def languages_for(symbols: Iterable[str], installed: Collection[str]) -> Languages:
    """Return the fewest installed languages that read a set's symbols."""
    letters = {char for symbol in symbols for char in symbol}
    used, left = _fewest(letters, [name for name in LETTERS_OF_LANGUAGE if name in installed])
    missing, strange = _fewest(left, list(LETTERS_OF_LANGUAGE))
    return Languages(used, missing, tuple(sorted(strange)))


def _fewest(letters: set[str], names: list[str]) -> tuple[tuple[str, ...], set[str]]:
    """Return languages that read the letters, the most useful first, and the letters left."""
    taken: list[str] = []
    while useful := [name for name in names if letters & legible_characters(name)]:
        taken.append(max(useful, key=lambda name: len(letters & legible_characters(name))))
        letters = letters - legible_characters(taken[-1])
    return tuple(taken), letters


def legible_characters(language: str) -> set[str]:
    """Return every character that a language can read, except small letters."""
    return set(LETTERS_OF_LANGUAGE[language] + SIGNS)


class Vocabulary(NamedTuple):
    """The possible readings in some languages: the index of each symbol, and the foldings of characters."""

    languages: tuple[str, ...]
    symbols: dict[str, int]
    fold: dict[int, str]

    @property
    def allowed(self) -> str:
        """Every character that may be read."""
        return "".join(sorted({*"".join(self.symbols), *map(chr, self.fold)}))

    def meant(self, text: str) -> int | None:
        """Return the index of the symbol that a text repeats; ``None`` for another text."""
        plain = text.translate(self.fold)
        return next(
            (k for symbol, k in self.symbols.items() if plain and not plain.replace(symbol, "")), None
        )


def vocabulary(symbols: tuple[str, ...], languages: tuple[str, ...]) -> Vocabulary:
    """Return the possible readings of a set's symbols in some languages."""
    can = set().union(*(legible_characters(name) for name in languages))
    own = {symbol: k for k, symbol in enumerate(symbols) if symbol and set(symbol) <= can}
    letters = set("".join(own))
    fold = {ord(twin): symbol for symbol in own for twin in _homoglyphs(symbol) if twin not in letters}
    return Vocabulary(languages, own, fold)


def _homoglyphs(symbol: str) -> str:
    """Return the characters that a single symbol is indistinguishable from."""
    if symbol in HOMOGLYPHS or len(symbol) != 1:
        return HOMOGLYPHS.get(symbol, "")
    return symbol.lower() if _bare(symbol) in HOMOGLYPHS else ""


def is_ambiguous(read: str, symbols: Collection[str]) -> bool:
    """Return whether a read symbol may be another one of a set, with its accent or its tail missed."""
    twins = {symbol for symbol in symbols if symbol and _bare(symbol) == read}
    return bool(twins - {read}) or (read == "O" and not {"Q", "D"}.isdisjoint(symbols))


def _bare(symbol: str) -> str:
    """Return a letter without its accents."""
    return unicodedata.normalize("NFD", symbol)[0]


SYMBOL_COPIES = 2
"""Number of copies of the symbol on its page.

Tesseract reads lines better than single letters, and equal readings of two copies are surer: of 1,040 drawn
tiles one copy gave 57 % surely (12 of them wrong), two 65 % (7 wrong), three 60 % (6 wrong).
"""

SYMBOL_HEIGHT_PX, COPY_GAP_PX, PAGE_MARGIN_PX = 32, 6, 16
"""Height of the symbol on its page, gap between its copies, white around them, in pixels."""

CROP_SIDE_PX, RIM_PX = 64, 6
"""Side of the crop, and width of the rim around the face that is left out, in pixels."""

MAX_STROKE_PX = 23
"""Side of the kernel that closes strokes, in pixels of the crop."""

MAX_CENTRE_OFFSET = 0.25
"""Largest distance of the main stroke's middle from the face's, in sides of the crop."""

MAX_RIM_LENGTH = 0.6
"""Largest length of a symbol's stroke that reaches the rim, in sides of the crop; longer ones are edges."""

MIN_PART_SHARE = 0.03
"""Least size of a part, as a share of the main stroke; smaller specks are dirt, the dots of an Ä larger."""


def page(cut: Grey) -> Grey | None:
    """Return the page of an upright crop, shape (h, w), or ``None`` where there is no ink."""
    how = cv2.INTER_AREA if len(cut) > CROP_SIDE_PX else cv2.INTER_CUBIC
    face = np.asarray(cv2.resize(cut, (CROP_SIDE_PX, CROP_SIDE_PX), interpolation=how), np.uint8)
    relief = _relief(face)[RIM_PX:-RIM_PX, RIM_PX:-RIM_PX]
    level, mask = cv2.threshold(relief, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    ink = _strokes(np.asarray(mask, np.uint8))
    if not ink.any():
        return None
    near = cv2.dilate(ink, np.ones((3, 3), np.uint8)) > 0
    white = np.where(near, 255 - relief, 255).astype(np.uint8)
    x, y, width, height = cv2.boundingRect(ink)
    symbol = np.pad(white, 2, constant_values=255)[y : y + height + 4, x : x + width + 4]
    scale = SYMBOL_HEIGHT_PX / max(height, width / 2)
    grown = cv2.resize(symbol, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
    _, clean = cv2.threshold(grown, 255 - level, 255, cv2.THRESH_BINARY)
    spaced = np.pad(np.asarray(clean, np.uint8), ((0, 0), (0, COPY_GAP_PX)), constant_values=255)
    line = np.tile(spaced, SYMBOL_COPIES)[:, :-COPY_GAP_PX]
    return np.pad(line, PAGE_MARGIN_PX, constant_values=255)


def _relief(face: Grey) -> Grey:
    """Return the contrast of ink and face, positive for the ink whether it is darker or lighter.

    Most of a face is bare, so its median is farther from the ink than its mean.
    """
    inner = face[RIM_PX:-RIM_PX, RIM_PX:-RIM_PX]
    dark = face if np.median(inner) > inner.mean() else 255 - face
    stroke = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (MAX_STROKE_PX, MAX_STROKE_PX))
    return np.asarray(cv2.morphologyEx(dark, cv2.MORPH_BLACKHAT, stroke), np.uint8)


def _strokes(mask: Grey) -> Grey:
    """Return the symbol's own strokes: without dirt, rim, and a small number in the lower right corner."""
    count, labels, boxes, middles = cv2.connectedComponentsWithStats(mask)
    if count < 2:
        return np.zeros_like(mask)
    areas, side = boxes[1:, cv2.CC_STAT_AREA], len(mask)
    off = (middles[1:] - (side - 1) / 2) / side
    first, last = boxes[1:, :2], boxes[1:, :2] + boxes[1:, 2:4]
    main = int(np.argmax(areas * np.where((abs(off) < MAX_CENTRE_OFFSET).all(1), 1.0, 0.01)))
    touching = ((first == 0) | (last == side)).any(1)
    long = (last - first).max(1) / side
    small = (areas < areas[main] / 2) & ((long > 1 / 3) | (abs(off[:, 0]) > MAX_CENTRE_OFFSET))
    rim = touching & (small | (long > MAX_RIM_LENGTH))
    number = (off > 0.2).all(1)
    wanted = (areas >= MIN_PART_SHARE * areas[main]) & ~rim & ~number
    wanted[main] = True
    return np.where(np.isin(labels, 1 + np.flatnonzero(wanted)), 255, 0).astype(np.uint8)


MAX_TILES = 48
"""Largest number of tiles read in one picture, the first ones: a number, not a time, so that no answer
depends on the machine's load.
"""

TIMEOUT_S = 120.0
"""Timeout of a process, in seconds: ``PAGES_PER_PROCESS`` take 0.1 s of one processor."""

MAX_NAMED_CHARS = 10
"""Largest number of unreadable characters that a warning names."""

PAGES_PER_PROCESS = 32
"""Number of pages read by one process, which are lost where it fails."""

TESSERACT_OPTIONS = (
    "--psm 10 -c load_system_dawg=0 -c load_freq_dawg=0 -c tessedit_do_invert=0"
    " -c tessedit_create_tsv=1 -c tessedit_char_whitelist="
)
"""Options of Tesseract: one symbol a page, no dictionary, black on white, confidences, and a whitelist.

Page segmentation modes 10 (a letter) and 7 (a line) read 77 % of 1,040 drawn tiles, 13 (a raw line) 68 % and
8 (a word) 65 %.
"""

AMBIGUITY_FACTOR = 0.5
"""Factor on the confidence where a part of another symbol of the set may have been missed."""


class Tesseract:
    """The second reader; safe to call from several threads.

    It warns once and gives no answers where Tesseract, or its data for a set, is not installed, and after a
    process has hung.  Processes have one thread each, unless ``OMP_THREAD_LIMIT`` in the environment is set:
    several wait for each other and take twice the time.

    Parameters
    ----------
    most
        Largest number of tiles read in one picture; those after them get no answer.
    hangs_s
        Seconds after which a process counts as hanging and is ended.
    """

    def __init__(self, most: int = MAX_TILES, hangs_s: float = TIMEOUT_S) -> None:
        self._most, self._hangs_s = most, hangs_s
        os.environ.setdefault("OMP_THREAD_LIMIT", "1")
        self._installed: frozenset[str] | None = None
        self._warned: set[str] = set()

    def symbol_probabilities(self, cuts: NDArray[np.uint8], symbols: tuple[str, ...]) -> NDArray[np.float64]:
        """Return the probability of each symbol on each tile, as ``SymbolReader`` does.

        Raises BadPicture where the crops have another shape or type.
        """
        if cuts.dtype != np.uint8 or cuts.ndim != 3 or cuts.shape[1] != cuts.shape[2]:
            raise BadPicture(f"crops are uint8 of shape (n, side, side), got {cuts.dtype} {cuts.shape}")
        chances = np.zeros((len(cuts), len(symbols)))
        if not len(cuts) or not (known := self._known(symbols)).symbols:
            return chances
        pages = [page(cut) for cut in cuts[: self._most]]
        inked = [(tile, sheet) for tile, sheet in enumerate(pages) if sheet is not None]
        for start in range(0, len(inked), PAGES_PER_PROCESS):
            tiles, sheets = zip(*inked[start : start + PAGES_PER_PROCESS], strict=True)
            for tile, (text, sure) in zip(tiles, self._read(sheets, known), strict=False):
                if (k := known.meant(text)) is not None:
                    share = AMBIGUITY_FACTOR if is_ambiguous(symbols[k], symbols) else 1.0
                    chances[tile, k] = share * sure / 100
        return chances

    def _known(self, symbols: tuple[str, ...]) -> Vocabulary:
        """Return the vocabulary of a set's symbols; warn of unreadable ones."""
        if self._installed is None:
            self._installed = installed_languages() or frozenset()
            if not self._installed:
                self._warn("doubts get no second reading until you run: sudo apt install tesseract-ocr")
        if not self._installed:
            return vocabulary(symbols, ())
        chosen = languages_for(symbols, self._installed)
        if chosen.missing:
            packages = " ".join(f"tesseract-ocr-{name}" for name in chosen.missing)
            self._warn(f"some symbols get no second reading until you run: sudo apt install {packages}")
        if chosen.strange:
            some = " ".join(chosen.strange[:MAX_NAMED_CHARS])
            self._warn(f"no language of Tesseract is known for {some!r}: no second reading of that")
        return vocabulary(symbols, chosen.used)

    def _read(self, pages: Sequence[Grey], known: Vocabulary) -> list[tuple[str, float]]:
        """Return the readings of some pages, as ``_reads`` does; none where Tesseract fails or has hung."""
        if not self._installed:
            return []
        try:
            return _reads(_table(pages, known, self._hangs_s), len(pages))
        except TesseractError as error:
            self._warn(f"Tesseract failed, so there is no second reading: {error.message}")
        except RuntimeError:  # pytesseract's error for a timeout
            self._installed = frozenset()
            self._warn(f"Tesseract did not answer within {self._hangs_s:g} s: no second reading from now on")
        except OSError as error:
            self._warn(f"Tesseract cannot be run, so there is no second reading: {error}")
        except (LookupError, ValueError) as error:
            self._warn(f"Tesseract's answer cannot be understood, so there is no second reading: {error}")
        return []

    def _warn(self, text: str) -> None:
        """Log a warning once."""
        if text not in self._warned:
            self._warned.add(text)
            log.warning("%s", text)


def installed_languages() -> frozenset[str] | None:
    """Return the languages that are installed, ``None`` where Tesseract is not."""
    try:
        return frozenset(get_languages())
    except TesseractNotFoundError:
        return None


def missing_packages(symbols: Sequence[str]) -> tuple[str, ...]:
    """Return the packages to install so that Tesseract can read a set's symbols, as far as possible."""
    installed = installed_languages()
    if installed is None:
        return ("tesseract-ocr",)
    return tuple(f"tesseract-ocr-{name}" for name in languages_for(symbols, installed).missing)


def _table(pages: Sequence[Grey], known: Vocabulary, hangs_s: float) -> str:
    """Return Tesseract's table of its readings of some pages; raise RuntimeError or OSError.

    All pages go to one process in one file: 5 ms of processor time a tile, instead of 100 ms in one process
    each.  pytesseract's ``image_to_data`` would do the same, but asks for the version first, without a time
    limit, and ends the program where it does not understand the answer.
    """
    first, *others = [Image.fromarray(sheet) for sheet in pages]
    with TemporaryDirectory(prefix="companion-") as folder:
        book = Path(folder, "pages.tiff")
        first.save(book, save_all=True, append_images=others)
        languages, settings = "+".join(known.languages), TESSERACT_OPTIONS + known.allowed
        return str(run_and_get_output(str(book), "tsv", languages, settings, timeout=hangs_s))


def _reads(table: str, pages: int) -> list[tuple[str, float]]:
    """Return the text of each page, without spaces, and its confidence, 0 to 100, from Tesseract's table.

    The text of a page without a word is ``""``.
    """
    words: dict[int, list[tuple[str, float]]] = {number: [] for number in range(1, pages + 1)}
    for line in table.splitlines()[1:]:
        level, number, *_, sure, text = line.split("\t")
        if level == "5":
            words[int(number)].append((text.strip(), float(sure)))
    return [
        ("".join(text for text, _ in some), min((sure for _, sure in some), default=0.0))
        for some in words.values()
    ]
