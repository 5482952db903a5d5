"""Pictures from outside: what is read, how it comes out, what is refused and with which words."""

from __future__ import annotations

import logging
import os
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

from companion.errors import BadPicture
from companion.vision import picture
from companion.vision.camera_frame import Yuv420, as_grey, to_array
from companion.vision.picture import STRIP_ROWS, decode, decode_bytes, to_printable
from tests.vision.encoded import encoded, oriented

UPRIGHT = np.array([[10, 20, 30], [40, 50, 60]], np.uint8)


def grey(values: Any) -> Image.Image:
    return Image.fromarray(np.array(values, np.uint8))


def png_header(width: int, height: int) -> bytes:
    """A PNG that says how large it is and then has no pixels."""
    size = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = [
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in [(b"IHDR", size), (b"IDAT", zlib.compress(b"")), (b"IEND", b"")]
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def refusal(data: bytes, name: str = "table.jpg") -> str:
    with pytest.raises(BadPicture) as caught:
        decode_bytes(data, name=name)
    return str(caught.value)


# What comes out


def test_a_frame_is_grey_bytes_row_by_row() -> None:
    frame = decode_bytes(encoded(grey(UPRIGHT), "PNG"))
    assert frame.tolist() == UPRIGHT.tolist()
    assert frame.dtype == np.dtype(np.uint8)
    assert frame.flags.c_contiguous


def test_a_colour_frame_is_blue_green_red() -> None:
    frame = decode_bytes(encoded(Image.new("RGB", (3, 2), (10, 20, 30)), "PNG"), colour=True)
    assert not isinstance(frame, Yuv420)
    assert frame.shape == (2, 3, 3)
    assert frame[0, 0].tolist() == [30, 20, 10]
    assert frame.flags.c_contiguous


def test_a_grey_picture_in_colour_has_three_equal_channels() -> None:
    frame = decode_bytes(encoded(grey([[77]]), "PNG"), colour=True)
    assert to_array(frame).tolist() == [[[77, 77, 77]]]


def test_grey_is_the_luminance_as_a_jpeg_stores_it() -> None:
    # ITU-R BT.601: 0.299 * 200 + 0.587 * 100 + 0.114 * 50 = 124.2
    frame = decode_bytes(encoded(Image.new("RGB", (32, 32), (200, 100, 50)), "JPEG", quality=95))
    assert abs(int(frame[16, 16]) - 124) <= 1


@pytest.mark.parametrize("kind", picture.PICTURE_FORMATS)
def test_every_kind_that_is_promised_is_read(kind: str) -> None:
    image = Image.new("RGB", (40, 30), (90, 90, 90))
    frame = decode_bytes(encoded(image, kind))
    assert frame.shape == (30, 40)
    assert abs(int(frame[15, 20]) - 90) <= 1


# CIPA DC-008 (EXIF), tag 0x0112: where the stored picture's first row and column lie when it is upright
STORED = [
    (1, [[10, 20, 30], [40, 50, 60]]),
    (2, [[30, 20, 10], [60, 50, 40]]),
    (3, [[60, 50, 40], [30, 20, 10]]),
    (4, [[40, 50, 60], [10, 20, 30]]),
    (5, [[10, 40], [20, 50], [30, 60]]),
    (6, [[30, 60], [20, 50], [10, 40]]),
    (7, [[60, 30], [50, 20], [40, 10]]),
    (8, [[40, 10], [50, 20], [60, 30]]),
]


@pytest.mark.parametrize(("orientation", "stored"), STORED)
@pytest.mark.parametrize("enlarged", [1, STRIP_ROWS - 1, STRIP_ROWS + 1])
def test_every_orientation_comes_out_upright(
    orientation: int, stored: list[list[int]], enlarged: int
) -> None:
    big = np.ones((enlarged, enlarged), np.uint8)
    data = encoded(grey(np.kron(np.array(stored, np.uint8), big)), "PNG", exif=oriented(orientation))
    assert np.array_equal(decode_bytes(data), np.kron(UPRIGHT, big))


@pytest.mark.parametrize("orientation", [6, 3])
def test_a_colour_picture_is_turned_upright_too(orientation: int) -> None:
    stored = np.array(dict(STORED)[orientation], np.uint8)
    data = encoded(
        Image.fromarray(np.stack([stored, stored + 1, stored + 2], -1)), "PNG", exif=oriented(orientation)
    )
    assert (
        to_array(decode_bytes(data, colour=True)).tolist()
        == np.stack([UPRIGHT + 2, UPRIGHT + 1, UPRIGHT], -1).tolist()
    )


@pytest.mark.parametrize("orientation", [0, 9, 65535])
def test_an_orientation_that_does_not_exist_is_passed_over(orientation: int) -> None:
    assert (
        decode_bytes(encoded(grey(UPRIGHT), "PNG", exif=oriented(orientation))).tolist() == UPRIGHT.tolist()
    )


def test_an_orientation_that_is_no_number_is_passed_over() -> None:
    exif = Image.Exif()
    exif[0x010F] = "maker"
    data = encoded(Image.new("L", (16, 8), 9), "JPEG", exif=exif.tobytes().replace(b"\x01\x0f", b"\x01\x12"))
    assert decode_bytes(data).shape == (8, 16)


# Kinds of pixels


def test_what_is_see_through_lies_on_white() -> None:
    image = Image.new("RGBA", (2, 1), (0, 0, 0, 0))
    image.putpixel((1, 0), (0, 0, 0, 255))
    assert decode_bytes(encoded(image, "PNG")).tolist() == [[255, 0]]


def test_what_is_half_see_through_is_half_white() -> None:
    frame = decode_bytes(encoded(Image.new("RGBA", (1, 1), (0, 0, 0, 128)), "PNG"))
    assert abs(int(frame[0, 0]) - 127) <= 1


def test_a_see_through_colour_of_a_palette_lies_on_white() -> None:
    image = Image.new("P", (1, 1), 0)
    image.putpalette([0, 0, 0, 9, 9, 9])
    assert decode_bytes(encoded(image, "PNG", transparency=0)).tolist() == [[255]]


def test_sixteen_bit_grey_is_cut_to_its_upper_eight() -> None:
    data = encoded(Image.fromarray(np.array([[0x0000, 0x80FF, 0xFFFF]], np.uint16)), "PNG")
    assert decode_bytes(data).tolist() == [[0, 0x80, 0xFF]]
    assert to_array(decode_bytes(data, colour=True))[0, 1].tolist() == [0x80, 0x80, 0x80]


def test_one_bit_is_black_and_white() -> None:
    image = Image.new("1", (2, 1))
    image.putpixel((1, 0), 1)
    assert decode_bytes(encoded(image, "PNG")).tolist() == [[0, 255]]


def test_printing_inks_are_turned_into_grey() -> None:
    assert decode_bytes(encoded(Image.new("CMYK", (16, 16)), "JPEG"))[8, 8] >= 253


@pytest.mark.parametrize("kind", ["GIF", "PNG", "WEBP"])
def test_of_a_moving_picture_the_first_is_read_with_a_warning(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = Image.new("RGB", (9, 9), (255,) * 3), Image.new("RGB", (9, 9), (0,) * 3)
    data = encoded(first, kind, save_all=True, append_images=[second], duration=100)
    assert decode_bytes(data, name="x")[4, 4] == 255
    assert caplog.messages == ["x: holds several pictures; only the first is read"]


def test_a_photograph_with_a_second_one_inside_is_read_without_a_word(
    caplog: pytest.LogCaptureFixture,
) -> None:
    # phones store a depth or brightness map behind the photograph (CIPA DC-007, MPO)
    data = encoded(Image.new("RGB", (16, 16)), "MPO", save_all=True, append_images=[Image.new("RGB", (8, 8))])
    assert decode_bytes(data).shape == (16, 16)
    assert caplog.messages == []


# What is refused


def test_no_bytes_are_told_of_as_empty() -> None:
    assert refusal(b"") == "table.jpg: is empty"


@pytest.mark.parametrize("data", [b"x", b"hello, world", bytes(1000), b"\xff\xd8\xff", b"%PDF-1.7\n%"])
def test_what_is_no_picture_is_refused(data: bytes) -> None:
    assert refusal(data).startswith("table.jpg: neither JPEG, PNG, WebP, BMP nor GIF")


def test_a_telephone_s_own_format_is_refused_with_the_way_out() -> None:
    assert "save it as JPEG" in refusal(b"\0\0\0\x18ftypheic" + bytes(100))


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "BMP", "GIF"])
def test_half_a_picture_is_refused(kind: str) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (64, 64, 3), np.uint8)
    whole = encoded(Image.fromarray(noise), kind)
    assert refusal(whole[: len(whole) // 2]).startswith("table.jpg: damaged or cut short")


@pytest.mark.parametrize("size", [(10_001, 10_000), (40_000, 10), (10, 32_767), (60_000, 60_000)])
def test_a_picture_too_large_is_refused_by_its_header_alone(size: tuple[int, int]) -> None:
    assert refusal(png_header(*size)).startswith(
        "table.jpg: more than 100 megapixels or 32,766 pixels a side"
    )


@pytest.mark.parametrize("size", [(0, 5), (5, 0), (0, 0)])
def test_a_picture_without_pixels_is_refused(size: tuple[int, int]) -> None:
    assert refusal(png_header(*size)).startswith("table.jpg: ")


def test_too_many_bytes_are_refused_before_anything_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture, "MAX_BYTES", 1 << 20)
    assert refusal(bytes((1 << 20) + 1)).startswith("table.jpg: more than 1 MiB")


def test_a_refusal_is_one_line_whatever_the_name() -> None:
    assert refusal(b"", name=to_printable("a\nb\x1b[2J\udcff.jpg")) == "a?b?[2J?.jpg: is empty"


def test_a_damaged_picture_says_nothing_on_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    whole = encoded(Image.new("RGB", (64, 64)), "JPEG", progressive=True)
    for end in range(0, len(whole), 7):
        with pytest.raises(BadPicture):
            decode_bytes(whole[:end])
    assert capfd.readouterr() == ("", "")


# Files


def test_a_file_is_read_as_its_bytes_are(tmp_path: Path) -> None:
    path = tmp_path / "Tisch Ä.png"
    path.write_bytes(encoded(grey(UPRIGHT), "PNG"))
    assert decode(path).tolist() == decode(str(path)).tolist() == UPRIGHT.tolist()


def test_a_file_that_is_not_there_is_told_by_name(tmp_path: Path) -> None:
    with pytest.raises(BadPicture, match=r"nowhere\.jpg: cannot be opened: No such file"):
        decode(tmp_path / "nowhere.jpg")


@pytest.mark.parametrize("name", ["x" * 300, "a\0b", "\ud800.jpg"])
def test_a_name_that_no_file_can_have_is_refused(name: str) -> None:
    with pytest.raises(BadPicture):
        decode(name)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadPicture, match="is a folder"):
        decode(tmp_path)


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jpg")
    with pytest.raises(BadPicture, match="is a pipe or a device"):
        decode(tmp_path / "pipe.jpg")


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/tty"])
def test_a_device_is_refused_and_not_read(device: str) -> None:
    with pytest.raises(BadPicture, match="is a pipe or a device"):
        decode(device)


def test_a_file_larger_than_allowed_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "large.jpg"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # a hole: no disk holds it
    with pytest.raises(BadPicture, match="more than 128 MiB"):
        decode(path)


def test_photographs_come_out_in_the_size_that_they_are_shown_in(shared: Path) -> None:
    path = next(iter(sorted((shared / "scenes").glob("*.jpg"))))
    assert decode(path).shape == (1520, 2028)
    assert decode(path, colour=True).shape == (1520, 2028, 3)


# Whatever the bytes: a frame or BadPicture

SMALL = Image.fromarray(np.random.default_rng(2).integers(0, 256, (12, 20, 3), np.uint8))
VALID = [
    encoded(SMALL, "JPEG", exif=oriented(6)),
    encoded(SMALL, "JPEG", progressive=True),
    encoded(SMALL.convert("CMYK"), "JPEG"),
    encoded(SMALL, "MPO", save_all=True, append_images=[SMALL]),
    encoded(SMALL, "PNG", exif=oriented(8)),
    encoded(SMALL.convert("LA"), "PNG"),
    encoded(SMALL.quantize(4), "PNG", transparency=1),
    encoded(SMALL, "PNG", save_all=True, append_images=[SMALL.rotate(180)]),
    encoded(SMALL, "WEBP", exif=oriented(5)),
    encoded(SMALL, "WEBP", save_all=True, append_images=[SMALL.rotate(180)]),
    encoded(SMALL.quantize(4), "BMP"),
    encoded(SMALL, "GIF", save_all=True, append_images=[SMALL.rotate(180)]),
]


def frame_or_refusal(data: bytes, colour: bool) -> None:
    logging.disable(logging.WARNING)  # that a damaged file holds several pictures
    told, frame = "", None
    try:
        frame = decode_bytes(data, colour=colour)
    except BadPicture as error:
        told = str(error)
    finally:
        logging.disable(logging.NOTSET)
    if frame is None:
        assert told.startswith("picture: ")
        assert told.isprintable()
    else:
        assert frame.dtype == np.uint8
        assert frame.ndim == (3 if colour else 2)
        assert as_grey(frame).flags.c_contiguous


@given(st.binary(max_size=200), st.booleans())
def test_any_bytes_are_a_frame_or_refused(data: bytes, colour: bool) -> None:
    frame_or_refusal(data, colour)


@given(st.sampled_from(VALID), st.integers(0, 5000), st.booleans())
def test_any_beginning_of_a_picture_is_a_frame_or_refused(whole: bytes, end: int, colour: bool) -> None:
    frame_or_refusal(whole[: end % (len(whole) + 1)], colour)


CHANGES = st.lists(st.tuples(st.integers(0, 5000), st.binary(max_size=4), st.integers(0, 4)), max_size=6)


@given(st.sampled_from(VALID), CHANGES, st.booleans())
@example(VALID[0], [], True)
def test_any_damaged_picture_is_a_frame_or_refused(
    whole: bytes, changes: list[tuple[int, bytes, int]], colour: bool
) -> None:
    data = bytearray(whole)
    for at, new, old in changes:
        start = at % len(whole)
        data[start : start + old] = new
    frame_or_refusal(bytes(data), colour)
