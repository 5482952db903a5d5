"""Fonts for drawn tiles: those for training, and others that only evaluation uses."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from companion.errors import NoFonts

FOLDERS: tuple[Path, ...] = (Path("/usr/share/fonts"), Path("/usr/share/texmf/fonts"))

BUILT_IN_FONTS = (Path("the font that Pillow brings along"),)
"""Pillow's own font, for drawings that need no installed font."""

PACKAGES = (
    "fonts-adf-gillius fonts-averia-sans-gwf fonts-b612 fonts-bwht fonts-cabin fonts-cantarell "
    "fonts-clear-sans fonts-comfortaa fonts-comic-neue fonts-courier-prime fonts-dejavu "
    "fonts-dkg-handwriting fonts-dosis fonts-ebgaramond fonts-freefont-ttf fonts-hack fonts-humor-sans "
    "fonts-inter fonts-jura "
    "fonts-karla fonts-klee fonts-lato fonts-league-spartan fonts-liberation2 fonts-linuxlibertine "
    "fonts-manrope fonts-national-park fonts-noto-core fonts-open-sans fonts-opendin "
    "fonts-paratype fonts-play fonts-quicksand fonts-roboto-slab fonts-roboto-unhinted fonts-sil-andika "
    "fonts-texgyre fonts-urw-base35 fonts-vollkorn fonts-yusei-magic"
).split()
"""Debian packages whose fonts tiles are drawn with."""

EVALUATION_FONT_PREFIXES = tuple("Roboto- NotoSans- PTS PTC ClearSans NationalPark Play Manrope".split())
"""Beginnings of the file names of fonts for evaluation; never trained on."""

HANDWRITING_FONT_PREFIXES = tuple("BecauseWe Humor-Sans KleeOne-SemiBold YuseiMagic".split())
"""Beginnings of the file names of handwriting fonts, for evaluation; never trained on."""

PLAIN_FONT_PREFIXES = (
    *"AveriaSansGWF B612- Cabin- Cantarell- Comfortaa ComicNeue DejaVuSans- DejaVuSans. Dosis".split(),
    *"DejaVuSansCondensed FreeSans GilliusADF- GilliusADFNo2- Hack Inter InterDisplay Jura Karla-".split(),
    *"Lato LeagueSpartan LiberationSans NimbusSans OpenSans OSP-DIN Quicksand".split(),
    *"texgyreheros texgyreadventor URWGothic Andika LinBiolinum".split(),
)
SERIF_FONT_PREFIXES = (
    *"texgyrecursor DejaVuSansMono DejaVuSerif LiberationMono Courier RobotoSlab FreeSerif".split(),
    *"LiberationSerif LinLibertine_R C059 URWBookman Vollkorn EBGaramond12 dkg. dkgBd".split(),
)
"""Beginnings of the file names of fonts for training: like most tiles, and with serifs on the I."""

WANTED_STYLE_PATTERN = re.compile(
    r"(Regular|Medium|Semi-?Bold|Bold|Demi|Book|Roman|ExtraBold|Heavy|Black|_RB?|GWF|dkg(Bd)?|DIN|Sans|Serif"
    r"|Mono|Code|[57]5F)$",
    re.I,
)
UNWANTED_STYLE_PATTERN = re.compile(r"italic|oblique|\[|thin|light|hairline|outline|Bd?Ita|_RB?I|_Z", re.I)

MASK_SIDE_PX = 96
CAPITAL_HEIGHT_PX = 50
"""Side of a glyph's square mask and height of its capitals, in mask pixels."""

NONCHARACTERS = ("\uffff", "\ufffe")
"""Code points that are no characters (Unicode, section 23.7): a font draws its missing glyph for them."""

Mask = NDArray[np.uint8]


class TrainingFonts(NamedTuple):
    """The fonts for training: without and with serifs."""

    plain: tuple[Path, ...]
    serifed: tuple[Path, ...]


@cache
def fonts_named(beginnings: tuple[str, ...]) -> tuple[Path, ...]:
    """Return the sorted upright fonts whose file names have a beginning, without the lightest weights.

    Raises
    ------
    NoFonts
        Where none is installed; it names the packages.
    """
    found = {
        path.stem: path
        for folder in FOLDERS
        for path in sorted(folder.rglob("*.[ot]tf"))
        if path.name.startswith(beginnings)
        and WANTED_STYLE_PATTERN.search(path.stem)
        and not UNWANTED_STYLE_PATTERN.search(path.stem)
    }
    if not found:
        raise NoFonts(
            f"none of the fonts {', '.join(name.strip('.-_') for name in beginnings)} is installed; "
            f"as root: apt-get install {' '.join(PACKAGES)}"
        )
    return tuple(found[name] for name in sorted(found))


def training_fonts() -> TrainingFonts:
    """Return the fonts for training, none of those for evaluation; raise NoFonts as ``fonts_named`` does."""
    return TrainingFonts(fonts_named(PLAIN_FONT_PREFIXES), fonts_named(SERIF_FONT_PREFIXES))


def evaluation_fonts() -> tuple[Path, ...]:
    """Return the fonts for evaluation; raise NoFonts as ``fonts_named`` does."""
    weights = ("Bold", "Medium", "Semibold", "75F", "Regular", "Heavy")
    return tuple(path for path in fonts_named(EVALUATION_FONT_PREFIXES) if path.stem.endswith(weights))


def handwriting_fonts() -> tuple[Path, ...]:
    """Return the handwriting fonts; raise NoFonts as ``fonts_named`` does."""
    return fonts_named(HANDWRITING_FONT_PREFIXES)


def missing_training_fonts() -> tuple[str, ...]:
    """Return the names of training fonts (beginnings of file names) that are not installed."""
    there = [path.name for some in training_fonts() for path in some]
    return tuple(
        name
        for name in PLAIN_FONT_PREFIXES + SERIF_FONT_PREFIXES
        if not any(file.startswith(name) for file in there)
    )


@lru_cache(maxsize=20000)
def glyph(font: Path, text: str) -> Mask | None:
    """Return the mask of a text in a font, shape (96, 96), uint8, 255 where ink is.

    Capitals are 50 pixels high and the text is centred on the middle of a capital; a text that does not fit
    is shrunk and moved.  ``None`` where the font lacks one of the characters.
    """
    if not all(_has(font, character) for character in text):
        return None
    drawn, middle = _inked(font, text)
    room = 0.9 * MASK_SIDE_PX
    scale = min(1.0, room / max(drawn.shape))
    if scale < 1:
        drawn = np.asarray(
            cv2.resize(drawn, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8
        )
    height, width = drawn.shape
    lowest = (room - height) / 2
    y = round((MASK_SIDE_PX - height) / 2 + min(lowest, max(-lowest, scale * middle)))
    x = (MASK_SIDE_PX - width) // 2
    mask = np.zeros((MASK_SIDE_PX, MASK_SIDE_PX), np.uint8)
    mask[y : y + height, x : x + width] = drawn
    mask.flags.writeable = False
    return mask


@lru_cache(maxsize=2000)
def _inked(font: Path, text: str) -> tuple[Mask, float]:
    """Return the text cropped to its ink, and the distance of its middle below a capital's, in pixels."""
    face, top, bottom = _sized(font)
    box = tuple(int(v) for v in face.getbbox(text))
    picture = Image.new("L", (max(0, box[2] - box[0]), max(0, box[3] - box[1])), 0)
    ImageDraw.Draw(picture).text((-box[0], -box[1]), text, fill=255, font=face)
    return np.asarray(picture), (box[1] + box[3] - top - bottom) / 2


def _has(font: Path, character: str) -> bool:
    """Return whether a font has a character, and ink for it."""
    drawn = _inked(font, character)[0]
    return bool(drawn.any()) and not any(
        np.array_equal(drawn, _inked(font, mark)[0]) for mark in NONCHARACTERS
    )


@cache
def _sized(font: Path) -> tuple[ImageFont.FreeTypeFont, float, float]:
    """Return a font whose capital H is ``CAPITAL_HEIGHT_PX`` high, and the top and bottom of that H."""
    probe = _opened(font, 100)
    _, top, _, bottom = probe.getbbox("H")
    face = _opened(font, round(100 * CAPITAL_HEIGHT_PX / max(1, bottom - top)))
    _, top, _, bottom = face.getbbox("H")
    return face, top, bottom


def _opened(font: Path, size: int) -> ImageFont.FreeTypeFont:
    """Return a font at a size in pixels; raise NoFonts where Pillow cannot draw its own."""
    if font not in BUILT_IN_FONTS:
        return ImageFont.truetype(str(font), size)
    own = ImageFont.load_default(size)
    if not isinstance(own, ImageFont.FreeTypeFont):
        raise NoFonts("this Pillow was built without FreeType: install the one of the lock file")
    return own
