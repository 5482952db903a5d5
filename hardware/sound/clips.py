"""Spoken clips, which espeak-ng renders into a folder."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from companion import processes
from companion.config.controls import Language
from companion.errors import BadOutput, NoSpeech

SPEAKER = "espeak-ng"
WORDS_A_MINUTE = 150
RENDER_TIMEOUT_S = 10.0
"""Longest time that espeak-ng may take for one clip, in seconds."""


def clip_path(folder: Path, language: Language, name: str) -> Path:
    """Return the path of a clip."""
    return folder / language / f"{name}.wav"


def render_clips(phrases: Mapping[str, str], language: Language, folder: Path) -> Iterator[Path]:
    """Render clips, each atomically, and yield their paths.

    Raises
    ------
    NoSpeech
        Where espeak-ng is not installed or fails.
    BadOutput
        Where the folder cannot be written.
    """
    program = shutil.which(SPEAKER)
    if program is None:
        raise NoSpeech(f"calls are spoken by {SPEAKER}: sudo apt install {SPEAKER}")
    for name, words in phrases.items():
        path = clip_path(folder, language, name)
        draft = path.with_suffix(".draft")
        command = [program, "-v", language, "-s", str(WORDS_A_MINUTE), "-z", "-w", str(draft), words]
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            processes.run(command, timeout_s=RENDER_TIMEOUT_S).check_returncode()
            draft.replace(path)
        except subprocess.SubprocessError as error:
            raise NoSpeech(f"{SPEAKER} could not speak {words!r}: {error}") from error
        except OSError as error:
            raise BadOutput(f"{path}: {error.strerror}; choose another folder with --folder") from error
        yield path
