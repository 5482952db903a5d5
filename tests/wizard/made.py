"""A table to set up in tests: a camera that shows one drawn picture after another, and a game that waits."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from calibration.profile import read_profile
from companion.model.profile import Profile
from companion.model.tiles import tile_set
from companion.table import Table
from companion.vision.camera_frame import Frame
from companion.wizard import Wizard, WizardCamera
from tests.table.playing import FakeHealth, FakeShot


@dataclass
class Shows:
    """A camera that shows a picture as often as somebody looks, or none."""

    picture: Frame | None
    looked: int = 0

    def newest(self, after_ns: int, wait_s: float) -> FakeShot | None:
        self.looked += 1
        return None if self.picture is None else FakeShot(self.picture, self.looked)

    def health(self) -> FakeHealth:
        return FakeHealth() if self.picture is not None else FakeHealth("gone", "is gone: see to its cable")


@dataclass
class Around:
    """A wizard with one camera, and how often the table was to look anew."""

    folder: Path
    camera: Shows
    playing: bool = False
    looked_again: list[bool] = field(default_factory=list)
    wizard: Wizard = field(init=False)

    def __post_init__(self) -> None:
        source = WizardCamera("lamp", self.camera, self.path, self.kept)
        self.wizard = Wizard(
            [source],
            tile_set("bananagrams-en"),
            self.folder / "tiles",
            lambda: self.looked_again.append(True),
        )
        self.wizard.table = cast(Table, self)

    @property
    def path(self) -> Path:
        return self.folder / "cameras" / "lamp.toml"

    @property
    def busy(self) -> bool:
        """Stands for the table's own: whether a game is being played."""
        return self.playing

    @property
    def loop(self) -> Any:
        """Stands for the table's own: a game of three."""
        return SimpleNamespace(state=SimpleNamespace(seats=(1, 2, 3)))

    def kept(self) -> Profile | None:
        return read_profile(self.path) if self.path.exists() else None

    @property
    def profile(self) -> Profile:
        found = self.kept()
        assert found is not None
        return found
