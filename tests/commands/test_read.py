"""``companion read``: what it prints, draws and refuses; the reader itself is a made-up one."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from companion import cli
from companion.commands import _reading
from companion.errors import BadOutput, UsageError
from companion.model.grid import parse_grid
from companion.model.reading import Cell, Reading, Tableau
from companion.model.tiles import TileSet
from companion.vision.camera_frame import Frame, to_bgr
from companion.vision.ocr import Tesseract
from companion.vision.picture import decode, save_picture
from companion.words.chosen import main_store
from companion.words.lexicon import WordList
from tests.made_up import reading, tableau
from tests.render.test_contract import PICTURE, breaches


class MadeUpReader:
    """Sees on every picture what the test laid on the table."""

    table: Reading = reading()
    made: list[tuple[str, str | None]]
    second: object
    tile_px: float | None
    frames: list[Frame]

    def __init__(
        self,
        tile_set: TileSet,
        board: str | None = None,
        tile_px: float | None = None,
        second: object = None,
    ) -> None:
        if board == "volcano":
            raise UsageError("these tiles do not lie on that board")
        type(self).made = [(tile_set.name, board)]
        type(self).second, type(self).tile_px = second, tile_px
        type(self).frames = []

    def read(self, frame: Frame) -> Reading:
        self.frames.append(frame)
        return self.table


@pytest.fixture(autouse=True)
def table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> type[MadeUpReader]:
    """The made-up reader, an empty folder to be in, and no word list of anybody's own."""
    monkeypatch.setattr(_reading, "Reader", MadeUpReader)
    monkeypatch.setattr(MadeUpReader, "table", reading())
    monkeypatch.setenv("COMPANION_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    (tmp_path / "pictures").mkdir()
    monkeypatch.chdir(tmp_path / "pictures")
    return MadeUpReader


def photo(name: str, size: tuple[int, int] = (600, 400)) -> str:
    Image.new("RGB", size, (90, 120, 150)).save(name)
    return name


def lines(capsys: pytest.CaptureFixture[str]) -> list[Any]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def on_terminal(monkeypatch: pytest.MonkeyPatch, *streams: str) -> None:
    for stream in streams:
        monkeypatch.setattr(getattr(sys, stream), "isatty", lambda: True)


# One picture, several, bad ones


def test_each_picture_is_one_json_object_in_the_order_given(capsys: pytest.CaptureFixture[str]) -> None:
    names = [photo("b.jpg"), photo("a.png"), photo("ä.webp")]
    assert cli.main(["read", "--json", *names]) == 0
    assert [line["image"] for line in lines(capsys)] == names


def test_a_picture_that_cannot_be_opened_does_not_keep_the_others_from_being_read(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("bad.jpg").write_bytes(b"no picture")
    assert cli.main(["read", "--json", photo("a.png"), "bad.jpg", "gone.jpg", photo("b.png")]) == 2
    out, err = capsys.readouterr()
    assert [json.loads(line)["image"] for line in out.splitlines()] == ["a.png", "b.png"]
    assert err.splitlines() == [
        "companion read: bad.jpg: neither JPEG, PNG, WebP, BMP nor GIF, or its beginning is damaged",
        "companion read: gone.jpg: cannot be opened: No such file or directory",
    ]


def test_an_empty_table_is_a_good_reading(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["read", photo("a.png")]) == 0
    assert capsys.readouterr() == (
        "a.png  600 × 400 pixels, bananagrams-en\n\nNo tiles: the table is empty.\n\n",
        "",
    )


def test_the_reader_gets_the_picture_upright_and_in_colour() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (60, 40)).save("a.jpg", exif=exif)
    cli.main(["read", "a.jpg"])
    assert [frame.shape for frame in MadeUpReader.frames] == [(60, 40, 3)]


def test_without_any_option_english_bananagrams_lie_on_no_board() -> None:
    cli.main(["read", photo("a.png")])
    assert MadeUpReader.made == [("bananagrams-en", None)]


def test_tile_set_and_board_are_handed_to_the_reader() -> None:
    assert cli.main(["read", "--tiles", "scrabble-de", "--board", "scrabble", photo("a.png")]) == 0
    assert MadeUpReader.made == [("scrabble-de", "scrabble")]


def test_a_board_that_the_reader_refuses_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["read", "--board", "volcano", photo("a.png")]) == 2
    assert capsys.readouterr() == ("", "companion read: these tiles do not lie on that board\n")


def test_an_unknown_tile_set_is_refused_with_the_nearest_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["read", "--tiles", "bananagram-en", photo("a.png")]) == 2
    assert "did you mean 'bananagrams-en'?" in capsys.readouterr().err


def test_no_picture_is_a_misuse() -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["read"])
    assert ended.value.code == 2


# Verdicts


def judged(capsys: pytest.CaptureFixture[str], one: Tableau, *options: str) -> Any:
    MadeUpReader.table = reading(one)
    assert cli.main(["read", "--json", *options, photo("a.png")]) == 0
    return lines(capsys)[0]["tableaux"][0]


def test_words_are_judged_by_the_list_that_comes_along(capsys: pytest.CaptureFixture[str]) -> None:
    said = judged(capsys, tableau("C A T\n. . X"))
    assert [(word["text"], word["valid"]) for word in said["words"]] == [("CAT", True), ("TX", False)]
    assert (said["valid"], said["islands"]) == (False, 1)


def test_a_word_with_a_doubted_letter_is_left_to_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    said = judged(capsys, tableau("C A T", {(0, 1): "O"}))
    assert (said["valid"], said["words"][0]["valid"]) == (None, None)
    assert said["doubts"] == [{"row": 0, "col": 1, "symbol": "A", "confidence": 0.61, "or": "O"}]


def test_two_groups_are_two_islands(capsys: pytest.CaptureFixture[str]) -> None:
    said = judged(capsys, tableau("A T . A T"))
    assert (said["islands"], said["valid"]) == (2, False)


def equation(text: str = "1 AND 0 = 0") -> Tableau:
    cells = parse_grid([text.split()])
    return Tableau(tuple(Cell(row, col, s, False, 1.0) for (row, col), s in sorted(cells.items())), 0.0)


def test_equations_are_judged_by_their_rules(capsys: pytest.CaptureFixture[str]) -> None:
    said = judged(capsys, equation(), "--tiles", "binary", "--board", "scrabble")
    assert said["words"] == [{"text": "1AND0=0", "row": 0, "col": 0, "direction": "across", "valid": True}]
    assert (said["valid"], said["islands"]) == (True, 1)
    assert said["rows"] == ["1   AND 0   =   0"]
    assert judged(capsys, equation("1 AND 0 = 1"), "--tiles", "binary")["valid"] is False


def test_signs_of_a_set_that_has_no_rules_are_left_to_the_table(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "decimal.json").write_text('{"symbols": ["1", "2", "=", "+"]}', encoding="utf-8")
    said = judged(capsys, equation("1 + 1 = 2"), "--tiles", str(tmp_path / "decimal.json"))
    assert (said["words"][0]["valid"], said["valid"]) == (None, None)


def test_the_english_list_does_not_judge_a_finnish_table(capsys: pytest.CaptureFixture[str]) -> None:
    said = judged(capsys, tableau("T A L O"), "--tiles", "bananagrams-fi")
    assert (said["words"][0]["valid"], said["valid"]) == (None, None)


def test_a_list_that_has_the_letters_of_the_tiles_judges_them(capsys: pytest.CaptureFixture[str]) -> None:
    main_store().add(WordList.written("suomi", ["yö", "älä", "talo"]))
    main_store().use("suomi")
    assert judged(capsys, tableau("T A L O"), "--tiles", "bananagrams-fi")["valid"] is True
    assert judged(capsys, tableau("T A L A"), "--tiles", "bananagrams-fi")["valid"] is False


# For people


def test_a_person_reads_grid_words_counts_and_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    MadeUpReader.table = reading(tableau("C A T"))
    assert cli.main(["read", photo("a.png")]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "a.png  600 × 400 pixels, bananagrams-en",
        "",
        "Tableau 1  3 tiles, turned 0°",
        "  C  A  T",
        "  valid      CAT",
        "",
        "3 tiles face up, 0 face down, 0 in doubt, 0 loose.",
        "Tableau 1: valid, 1 word.",
        "",
    ]


def test_a_terminal_gets_colours_and_anything_else_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    MadeUpReader.table = reading(tableau("C A T"))
    cli.main(["read", photo("a.png")])
    assert "\x1b[" not in capsys.readouterr().out
    on_terminal(monkeypatch, "stdout")
    cli.main(["read", "a.png"])
    assert "\x1b[32m  valid" in capsys.readouterr().out


def test_markup_in_a_name_is_printed_as_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    on_terminal(monkeypatch, "stdout")
    cli.main(["read", photo("[red]a.png")])
    assert "[red]a.png" in capsys.readouterr().out


def test_a_terminal_that_lacks_a_letter_gets_a_question_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    body = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(body, encoding="ascii"))
    assert cli.main(["read", photo("ä.png")]) == 0
    assert body.getvalue().startswith(b"?.png  600 ? 400 pixels")


def test_tesseract_is_asked_about_doubts_unless_the_reader_is_to_be_alone() -> None:
    cli.main(["read", photo("table.png")])
    assert isinstance(MadeUpReader.second, Tesseract)
    cli.main(["read", "--alone", photo("table.png")])
    assert MadeUpReader.second is None


def test_several_pictures_on_a_terminal_show_a_bar_that_goes_away(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    on_terminal(monkeypatch, "stderr")
    cli.main(["read", "--json", photo("a.png"), photo("b.png")])
    out, err = capsys.readouterr()
    assert "0/2" in err
    assert "1/2" in err
    assert err.count("\x1b[2K") >= 2
    assert len(out.splitlines()) == 2


@pytest.mark.parametrize(("terminal", "pictures"), [("stderr", 1), ("stdout", 2)])
def test_there_is_no_bar_for_one_picture_or_off_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], terminal: str, pictures: int
) -> None:
    on_terminal(monkeypatch, terminal)
    cli.main(["read", "--json", *[photo("a.png")] * pictures])
    assert capsys.readouterr().err == ""


# Overlays


def test_an_overlay_is_drawn_on_the_picture(capsys: pytest.CaptureFixture[str]) -> None:
    MadeUpReader.table = reading(tableau("C A T"))
    assert cli.main(["read", "--overlay", "seen.png", photo("a.jpg")]) == 0
    drawing = to_bgr(decode("seen.png", colour=True))
    assert drawing.shape[0] > 400
    assert not np.array_equal(drawing[:400, :600], to_bgr(decode("a.jpg", colour=True)))
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", ["seen.png", "seen.JPG", "seen.jpeg"])
def test_an_overlay_is_written_in_the_format_of_its_name(name: str) -> None:
    cli.main(["read", "--overlay", name, photo("a.png")])
    assert decode(name).shape[1] == 600


@pytest.mark.parametrize(
    ("count", "first", "last"), [(2, "seen-1.png", "seen-2.png"), (10, "seen-01.png", "seen-10.png")]
)
def test_the_overlays_of_several_pictures_are_numbered(count: int, first: str, last: str) -> None:
    cli.main(["read", "--overlay", "seen.png", *[photo("a.png")] * count])
    drawings = sorted(path.name for path in Path().glob("seen*"))
    assert (len(drawings), drawings[0], drawings[-1]) == (count, first, last)


def test_a_bad_picture_leaves_a_gap_in_the_numbers() -> None:
    cli.main(["read", "--overlay", "seen.png", photo("a.png"), "gone.png", photo("b.png")])
    assert sorted(path.name for path in Path().glob("seen*")) == ["seen-1.png", "seen-3.png"]


@pytest.mark.parametrize("name", ["seen", "seen.gif", "seen.png.txt", "/dev/stdout"])
def test_an_overlay_of_unknown_format_is_refused_before_reading(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["read", "--overlay", name, photo("a.png")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"companion read: --overlay {name}: end its name in .png, .jpg or .jpeg\n"


@pytest.mark.parametrize("folder", ["nowhere", "a.png"])
def test_an_overlay_in_a_folder_that_is_none_is_refused_before_reading(
    folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["read", "--overlay", f"{folder}/seen.png", photo("a.png")]) == 2
    assert f"there is no folder {folder}; make it first" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("overlay", "pictures"),
    [("a.png", ["a.png"]), ("link.png", ["a.png"]), ("a.png", ["gone.png", "a-2.png"])],
)
def test_an_overlay_never_overwrites_a_picture(
    overlay: str, pictures: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    before = [Path(photo(name)).read_bytes() for name in ("a.png", "a-2.png")]
    Path("link.png").symlink_to("a.png")
    assert cli.main(["read", "--overlay", overlay, *pictures]) == 2
    assert "would overwrite the picture" in capsys.readouterr().err
    assert [Path(name).read_bytes() for name in ("a.png", "a-2.png")] == before


def test_an_overlay_that_cannot_be_written_is_one_line_and_the_reading_is_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("seen.png").mkdir()
    assert cli.main(["read", "--json", "--overlay", "seen.png", photo("a.png")]) == 2
    out, err = capsys.readouterr()
    assert json.loads(out)["image"] == "a.png"
    assert err == "companion read: seen.png: cannot be written: Is a directory\n"


def test_an_overlay_too_large_for_its_format_names_one_that_takes_it() -> None:
    # JPEG holds at most 65,535 lines (ITU-T T.81, table B.2); OpenCV stops at 65,500
    with pytest.raises(BadOutput, match=r"seen\.jpg: too large for this format; end its name in \.png"):
        save_picture(Path("seen.jpg"), np.zeros((65_600, 1, 3), np.uint8))


def test_the_reader_reads_the_same_frame_with_and_without_an_overlay() -> None:
    cli.main(["read", photo("a.png")])
    plain = MadeUpReader.frames
    cli.main(["read", "--overlay", "seen.png", "a.png"])
    assert np.array_equal(plain[0], MadeUpReader.frames[0])


def test_the_real_reader_keeps_the_promise_on_a_photograph(root: Path, shared: Path) -> None:
    name = shared / "photos" / "bananagrams_fi" / "zawaer_1770633540778.jpg"
    command = [sys.executable, "-m", "companion", "read", "--json", "--tiles", "bananagrams-fi", str(name)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    said = json.loads(done.stdout)
    assert breaches(said, PICTURE) == []
    assert (said["image"], said["width"], said["height"]) == (str(name), 640, 640)
    assert len(said["tiles"]) > 10
