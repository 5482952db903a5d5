"""Plain text lists as hosts bring them: what is understood, what is skipped, what is refused and why."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from companion.errors import BadWordList
from companion.words.text_lists import MAX_FILE_BYTES, MAX_LINES, ImportedList, from_bytes, from_file


def listed(read: ImportedList) -> list[str]:
    return [word for word, _ in read.words]


@pytest.mark.parametrize(
    "body",
    [
        b"cat\ndog\n",
        b"DOG\r\nCAT\r\n",
        b"\xef\xbb\xbfcat\ndog",
        b"# my words\n\n  cat  \ndog\ncat\n",
        b"Cat\rDog\r",
    ],
)
def test_one_word_a_line_is_understood_however_the_lines_end(body: bytes) -> None:
    read = from_bytes(body, "pets")
    assert (listed(read), read.skipped) == (["cat", "dog"], ())


def test_letters_beyond_the_english_ones_are_understood() -> None:
    assert listed(from_bytes("Mökki\nÄITI\n".encode(), "sanat")) == ["mökki", "äiti"]


def test_lines_that_tiles_cannot_spell_are_skipped_and_told_of() -> None:
    read = from_bytes(b"cat\nit's\ne-mail\nr2d2\n" + b"a" * 61, "words")
    assert listed(read) == ["cat"]
    assert read.skipped == ("line 2: it's", "line 3: e-mail", "line 4: r2d2", "line 5: " + "a" * 60)


def test_a_list_with_definitions_is_refused_with_what_to_do() -> None:
    with pytest.raises(BadWordList, match=r"line 2: 'AAH to exclaim' is more than one word.*cut -d' '"):
        from_bytes(b"AA\nAAH to exclaim\n", "words")


def test_a_list_in_another_encoding_is_refused_with_the_line_and_what_to_do() -> None:
    with pytest.raises(BadWordList, match=r"not UTF-8 text \(line 2, byte 0xf6\).*iconv -f ISO-8859-1"):
        from_bytes("abc\nmökki\n".encode("latin-1"), "sanat")


def test_a_list_in_utf_16_is_refused_with_the_right_way_to_convert_it() -> None:
    with pytest.raises(BadWordList, match=r"not UTF-8 text.*iconv -f UTF-16 -t UTF-8"):
        from_bytes("cat\n".encode("utf-16"), "wide")


def test_zero_bytes_are_refused() -> None:
    with pytest.raises(BadWordList, match="zero bytes"):
        from_bytes("cat\n".encode("utf-16-be"), "wide")


@pytest.mark.parametrize("body", [b"", b"\n\n", b"# nothing\n", b"12\n34\n"])
def test_a_list_without_a_word_is_refused(body: bytes) -> None:
    with pytest.raises(BadWordList, match="has no word"):
        from_bytes(body, "empty")


def test_far_too_many_lines_are_refused() -> None:
    with pytest.raises(BadWordList, match="more than 4,000,000 lines"):
        from_bytes(b"\n" * (MAX_LINES + 1), "endless")


def test_a_file_is_read_under_the_name_it_is_given(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"cat\n")
    assert from_file(tmp_path / "a.txt", "pets").words.name == "pets"


def test_a_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(BadWordList, match=r"nothing\.txt: No such file"):
        from_file(tmp_path / "nothing.txt", "words")


def test_a_file_far_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "huge.txt"
    with path.open("wb") as file:
        os.truncate(file.fileno(), MAX_FILE_BYTES + 1)
    with pytest.raises(BadWordList, match="larger than 64 MB"):
        from_file(path, "huge")
