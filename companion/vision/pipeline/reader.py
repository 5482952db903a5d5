"""The reader: from a picture to tiles and tableaux."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

import numpy as np

from companion.errors import BadPicture, MirroredPicture
from companion.model.reading import Piece, Reading
from companion.model.tiles import TileSet
from companion.vision.camera_frame import CameraFrame, Frame, ImagePyramid, as_grey
from companion.vision.classifier import (
    LIKELY,
    MIN_P_EVIDENCE,
    Classifier,
    ClassProbabilities,
    crop_source,
    p_tile,
)
from companion.vision.decoding import (
    MIN_CONFIDENCE,
    SymbolReader,
    allowed_edges,
    ask_ocr,
    compose,
    decode_tiles,
    low_confidence,
    turn_log_likelihoods,
)
from companion.vision.detector.detections import (
    SCORE_THRESHOLD,
    Detections,
    detect_at_scale,
    is_inside_picture,
    with_replaced,
)
from companion.vision.detector.perspective import RectifiedView, TileSize
from companion.vision.detector.scale_search import Networks, SearchResult, search
from companion.vision.fewshot.classifier import classifier_for, log_odds
from companion.vision.grid.board import Board, layout_on_board, merge_layouts
from companion.vision.grid.components import (
    Layout,
    connected_components,
    edges,
    merge_islands,
    pairwise_offsets,
)
from companion.vision.grid.homography import Box, points_inside
from companion.vision.grid.scrabble import find_board
from companion.vision.grid.volcano import Volcano
from companion.vision.networks import Detector
from companion.vision.pipeline.evidence import apply_board_evidence, apply_table_evidence, compared_tiles
from companion.vision.pipeline.frame import (
    MIN_SURE_P_SYMBOL,
    FrameDetections,
    Window,
    concatenate_frames,
    conform_shapes,
    measure_shapes,
    without_duplicates,
)
from companion.vision.pipeline.unread import is_taken, unread_places, unread_squares, with_unread
from companion.vision.pipeline.volcano import detect_on_volcano, detect_volcano_region, known_palette

Grey = Frame | ImagePyramid

ROTATION_OFFSETS_RAD = (-0.15, 0.15, -0.3, 0.3, -0.45, 0.45)
"""Rotations tried for an unsure detection, in radians: obliquely seen, a rotated tile is no square."""
MIN_ROTATION_GAIN = 0.2
"""Least gain in the probability of a face by which a detection takes another rotation."""
MAX_REFINED = 100
"""Largest number of detections refined in one picture, the strongest: it bounds the time on patterns."""


def refine_rotation(
    classifier: Classifier, grey: Grey, detections: Detections, probabilities: ClassProbabilities
) -> tuple[Detections, ClassProbabilities]:
    """Return detections in a grey picture, rotated where that improves their probabilities, and these."""
    sure = probabilities.p_best_face()
    unsure = np.flatnonzero(sure < MIN_SURE_P_SYMBOL)[:MAX_REFINED]
    if not len(unsure):
        return detections, probabilities
    turned = detections.kept(np.tile(unsure, len(ROTATION_OFFSETS_RAD)))
    turned = replace(turned, turns=turned.turns + np.repeat(ROTATION_OFFSETS_RAD, len(unsure)))
    read = classifier.classify_once(*crop_source(grey, turned)).p_best_face().reshape(-1, len(unsure))
    better = read.max(0) > np.maximum(MIN_SURE_P_SYMBOL, sure[unsure] + MIN_ROTATION_GAIN)
    if not better.any():
        return detections, probabilities
    some, turns = unsure[better], detections.turns.copy()
    turns[some] += np.take(ROTATION_OFFSETS_RAD, read.argmax(0)[better])
    detections = replace(detections, turns=turns)
    again = classifier.classify(*crop_source(grey, detections.kept(some)))
    return detections, with_replaced(probabilities, some, again)


MIN_MIRROR_EVIDENCE = 10.0
"""Least gain in evidence, in nats, by which a picture is mirrored: more than one half-hidden letter gives."""
MIRRORED_CORNERS = [1, 0, 3, 2]
"""The order of a tile's corners in the mirror."""
MIRRORED_TEXT = "letters are seen as in a mirror: switch the camera's mirroring off, or mirror the picture"


def is_mirrored(
    classifier: Classifier, grey: Grey, detections: Detections, probabilities: ClassProbabilities
) -> bool:
    """Return whether the letters in a grey picture are likelier in its mirror image, and likely there.

    The letters that are unsure tell it first, so that a picture without any costs nothing; then all must.
    Symbols that the set lacks are unlikely either way.
    ``probabilities`` tell which detections are letters; what they show is classified anew, without evidence.
    """
    lettered = (p_tile(detections, probabilities) > LIKELY) & ~probabilities.is_blank()
    unsure = lettered & (probabilities.p_best_symbol() < MIN_CONFIDENCE * probabilities.p_symbol.sum((1, 2)))
    for some, least in ((unsure, 0.0), (lettered, MIN_MIRROR_EVIDENCE)):
        if not some.any():
            return False
        picture, quads = crop_source(grey, detections.kept(some))
        upright, mirrored = (
            log_odds(classifier.classify(picture, corners).p_best_symbol(), MIN_P_EVIDENCE).sum()
            for corners in (quads, quads[:, MIRRORED_CORNERS])
        )
        if mirrored < max(0.0, upright + least):
            return False
    return True


SCRABBLE, VOLCANO = BOARDS = ("scrabble", "volcano")
USUAL_SQUARE_PITCH = 1.1
"""Width of a board's squares, in tile sides."""
MIN_P_TILE = 0.1
"""Least probability of a tile of a detection on a free table.

At a board, or at the picture's edge, ``SCORE_THRESHOLD`` is used: much else is square there.
"""


class Reader:
    """Reads pictures of one tile set; safe to call from several threads.

    Parameters
    ----------
    tile_set
        The tiles on the table; symbols that it lacks are never read.
    board
        ``"scrabble"`` for a 15x15 board, ``"volcano"`` for 5x5 letters under pyramids, ``None`` for a free
        table.
    tile_size
        Width of a tile in the pictures, in pixels, or the rectified view of the table, if calibrated.
    second
        Second reader of the tiles in doubt when a whole picture is read, or ``None``.
    """

    def __init__(
        self,
        tile_set: TileSet,
        board: str | None = None,
        tile_size: TileSize | None = None,
        second: SymbolReader | None = None,
    ) -> None:
        if board is not None and board not in BOARDS:
            raise BadPicture(f"the board {board!r} cannot be read yet; there is {', '.join(BOARDS)}")
        self.tile_set, self.board, self.tile_size = tile_set, board, tile_size
        self._second = None if tile_set.looks else second  # it does not know enrolled tiles
        self.classifier = classifier_for(tile_set)
        self._networks = Networks(Detector(), self.classifier)

    @property
    def typical_side(self) -> float | None:
        """Width of a tile in pixels, ``None`` without a calibration."""
        return self.tile_size.middle_side if isinstance(self.tile_size, RectifiedView) else self.tile_size

    def read(self, frame: CameraFrame) -> Reading:
        """Return the reading of a picture.

        ``frame`` is uint8, (h, w) grey or (h, w, 3) blue, green, red; or ``Yuv420``.  Raises BadPicture
        for anything else.
        """
        return self.reading(self.detect(frame), frame)

    def detect(self, frame: CameraFrame, known: FrameDetections | None = None) -> FrameDetections:
        """Return the tiles in a picture before they are grouped; arguments and errors as for ``read``.

        ``known`` is the result of earlier pictures: the size of tiles, and the place of a board with
        pyramids.  Raises MirroredPicture where letters are seen as in a mirror.
        """
        began = perf_counter()
        grey = ImagePyramid(as_grey(frame))
        result, board = self._search(frame, grey, known)
        found = perf_counter()
        seen = self._candidates(grey, result, board)
        detected = self._with_evidence(frame, seen, known)
        if is_mirrored(self.classifier, grey, detected.detections, detected.probabilities):
            raise MirroredPicture(MIRRORED_TEXT)
        window = Window((0, 0, *seen.size), 1.0, result.view)
        detected = self._with_unread(frame, (result.picture, window), detected, window.box)
        return with_timing(detected, began, found)

    def candidates(self, frame: CameraFrame, grey: Grey) -> tuple[SearchResult, FrameDetections]:
        """Return the searched picture, and the candidates in it before the board's evidence."""
        result, board = self._search(frame, grey, None)
        return result, self._candidates(grey, result, board)

    def _search(
        self, frame: CameraFrame, grey: Grey, known: FrameDetections | None
    ) -> tuple[SearchResult, Board | None]:
        """Return the searched picture with its detections, and the board of squares in it, if any."""
        board = find_board(frame, self._networks.detector) if self.board == SCRABBLE else None
        tile_size = (known and known.tile_size) or self.tile_size
        if tile_size is None and board:
            tile_size = board.middle_side / USUAL_SQUARE_PITCH
        return search(self._networks, grey, tile_size), board

    def _candidates(self, grey: Grey, result: SearchResult, board: Board | None) -> FrameDetections:
        """Return the detections of a search that may be tiles, classified."""
        detections, probabilities = self._classified(result.picture, result.detections)
        detections = result.in_picture(detections)
        scale, size = result.picture_scale(detections), (grey.shape[1], grey.shape[0])
        return FrameDetections(size, detections, probabilities, scale, board, result.table)

    def reads_parts(self, known: FrameDetections) -> bool:
        """Return whether a part of a picture can be read alone, given earlier detections."""
        return self.board != VOLCANO or known_palette(known) is not None

    def detect_region(
        self, frame: CameraFrame, box: Box, known: FrameDetections, times: float = 1.0
    ) -> FrameDetections:
        """Return the tiles whose middle lies in a part of a picture, given earlier detections.

        ``known`` gives the scale, the shapes of the other tiles, the brightness of those beside the part, and
        the board.  The detector works at ``times`` that scale, except on a board with pyramids.  Raises
        BadPicture where it has no scale, as no tile was detected.
        """
        if known.scale is None:
            raise BadPicture("nobody knows how large the tiles are: look at the whole picture first")
        began = perf_counter()
        if self.board == VOLCANO:
            detected = detect_volcano_region(frame, box, known, self._networks) or self.detect(frame, known)
            return with_timing(detected.kept(points_inside(detected.detections.centres, box)), began, began)
        window = Window.around(box, known, times)
        grey = window.rectify_grey(frame)
        detections = detect_at_scale(self._networks.detector, grey, window.scale)
        detections = detections.kept(points_inside(window.to_picture(detections).centres, box))
        shown = window.to_view(known.detections)
        found = perf_counter()
        rest = known.kept(~points_inside(known.detections.centres, box))
        near = rest.kept(points_inside(rest.detections.centres, window.box))
        named, probabilities = self._classified(grey, conform_shapes(detections, shown))
        detections = measure_shapes(named, detections, shown, 1 - probabilities.p_background)
        detected = replace(known, detections=window.to_picture(detections), probabilities=probabilities)
        detected = (
            apply_board_evidence(frame, detected, detected.board, self.classifier, rest, box)
            if isinstance(detected.board, Board)
            else apply_table_evidence(frame, detected, compared_tiles(rest, window.box))
        )
        around = rest if detected.board else near
        detected = self._with_unread(frame, (grey, window), detected, box, around)
        return with_timing(detected, began, found)

    def classify(self, grey: Grey, detections: Detections) -> ClassProbabilities:
        """Return the class probabilities of detections in a grey picture."""
        return self.classifier.classify(*crop_source(grey, detections))

    def reading(self, detected: FrameDetections, frame: CameraFrame | None = None) -> Reading:
        """Return the reading of the detected tiles.

        The second reader, if there is one, is shown the tiles in doubt where their ``frame`` is given.
        """
        began = perf_counter()
        board, layout, probabilities = detected.board, self._layout(detected), detected.probabilities
        timing = dict(detected.timing_ms)
        if (
            frame is not None
            and self._second is not None
            and (doubted := low_confidence(decode_tiles(probabilities, layout)[0]))
        ):
            asked, grey = perf_counter(), as_grey(frame)
            probabilities = ask_ocr(self._second, grey, detected.detections, probabilities, doubted)
            timing["second"] = 1000 * (perf_counter() - asked)
        tiles, tableaux = compose(detected.detections, probabilities, layout, detected.size)
        squares = board if isinstance(board, Board) else None
        tableaux = with_unread(tableaux, tiles, detected.unread, detected.size, squares)
        pieces: tuple[Piece, ...] = ()
        if isinstance(board, Volcano):
            pieces = board.counted_pieces
            tableaux = (replace(tableaux[0], turn_deg=board.turn_deg), *tableaux[1:])
        timing["fit"] = 1000 * (perf_counter() - began) - timing.get("second", 0.0)
        timing = {"total": sum(timing.values())} | timing
        name, kind = self.tile_set.name, self.board if board else None
        return Reading(*detected.size, name, tiles, tableaux, kind, pieces, timing)

    def _classified(self, grey: Grey, detections: Detections) -> tuple[Detections, ClassProbabilities]:
        """Return the detections that may be tiles, with their probabilities."""
        probabilities = self.classify(grey, detections)
        detections, probabilities = refine_rotation(self.classifier, grey, detections, probabilities)
        whole = is_inside_picture(detections, grey.shape[::-1]) if self.board is None else False
        least = np.where(whole, MIN_P_TILE, SCORE_THRESHOLD)
        keep = p_tile(detections, probabilities) > least
        return detections.kept(keep), probabilities.kept(keep)

    def _with_unread(
        self,
        frame: CameraFrame,
        shown: tuple[Grey, Window],
        detected: FrameDetections,
        box: Box,
        around: FrameDetections | None = None,
    ) -> FrameDetections:
        """Return detections with the unread places in a box of the picture, without vague faces on them.

        ``shown`` is the rectified picture of a window, and that window; ``around`` are tiles beside the box.
        """
        every = concatenate_frames(detected, around)
        if isinstance(detected.board, Board):
            places = unread_squares(frame, every, detected.board, self.classifier, box)
            return replace(detected, unread=places)
        if self.board is not None:
            return detected
        places = unread_places(frame, shown, every, self.classifier)
        here = points_inside(np.clip(places, 0, np.array(detected.size) - 1), box)
        faces = detected.probabilities.is_vague() & is_taken(places, detected.detections).any(0)
        return replace(detected, unread=places[here]).kept(~faces)

    def _with_evidence(
        self, frame: CameraFrame, detected: FrameDetections, known: FrameDetections | None
    ) -> FrameDetections:
        """Return detections with the evidence of colours, without duplicates; ``known`` are those before."""
        if self.board == VOLCANO:
            return without_duplicates(detect_on_volcano(frame, detected, self._networks, known))
        if isinstance(detected.board, Board):
            return apply_board_evidence(frame, detected, detected.board, self.classifier)
        return apply_table_evidence(frame, detected)

    def _layout(self, detected: FrameDetections) -> Layout:
        """Return the layout of the tiles of a table, on a board and beside it."""
        detections, probabilities, board = detected.detections, detected.probabilities, detected.board
        if board:
            on_board = layout_on_board(detections, probabilities, board)
            if isinstance(board, Board):
                return on_board
            beside = np.flatnonzero(~board.cells(detections)[1])
            others = self._layout(replace(detected.kept(beside), board=None))
            return merge_layouts(on_board, others, beside)
        lie = pairwise_offsets(detections.centres, detections.vectors())
        links = allowed_edges(edges(lie), probabilities, self.tile_set.has_blanks)
        reads = turn_log_likelihoods(probabilities)
        return merge_islands(connected_components(links, reads), lie, reads)


def with_timing(detected: FrameDetections, began: float, found: float) -> FrameDetections:
    """Return detections with the times of detection, ``began`` to ``found`` in s, and reading, until now."""
    timing = {"find": 1000 * (found - began), "read": 1000 * (perf_counter() - found)}
    return replace(detected, timing_ms=timing)
