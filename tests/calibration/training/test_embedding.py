"""Training of the sign network: only where torch is installed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch, which only training needs, is not installed")

from calibration.training import __main__ as training
from calibration.training.augmentation import augment
from calibration.training.signs import __main__ as command
from calibration.training.signs import embedding
from calibration.training.signs.embedding import Episode, TrainedEmbedding, prototypical_loss
from calibration.training.signs.tasks import (
    DOODLE_PREFIX,
    WIDE_CROP_SIDE_PX,
    WIDE_CROP_TILE_PX,
    FewShotTask,
    few_shot_task,
)
from companion.errors import BadOutput
from companion.vision.fewshot.embedding import EMBEDDING_DIM, SignEmbedding
from tests.calibration.simple import rng

torch.set_num_threads(1)  # a busy machine is no fault of the code


@pytest.fixture(scope="module")
def drawn() -> FewShotTask:
    return few_shot_task((7, 1))


def episode(drawn: FewShotTask) -> Episode:
    return embedding.sample_episode(rng(), drawn, {sign: k for k, sign in enumerate(drawn.signs)})


def test_a_lot_holds_three_crops_of_each_sign_in_a_turn_from_either_picture(drawn: FewShotTask) -> None:
    one = episode(drawn)
    kept = one.name[one.state < 2].reshape(-1, 2 * embedding.SHOTS)
    assert (kept == kept[:, :1]).all()
    assert len(np.unique(kept[:, 0])) == len(kept)
    assert (one.state == 2).sum() == embedding.MAX_BACKGROUND_CROPS


def test_signs_that_lie_apart_lose_less_than_those_that_lie_together(drawn: FewShotTask) -> None:
    one = episode(drawn)
    names, number = np.unique(one.name[one.state < 2], return_inverse=True)
    apart = torch.eye(EMBEDDING_DIM)[torch.from_numpy(number)] * 10
    scale = torch.tensor(0.1)
    assert len(names) > 5
    assert float(prototypical_loss(apart, one, scale)) < 0.01
    assert float(prototypical_loss(apart * 0, one, scale)) > 1


def test_a_crop_is_turned_clockwise_by_quarters() -> None:
    crop = np.zeros((1, WIDE_CROP_SIDE_PX, WIDE_CROP_SIDE_PX), np.uint8)
    crop[0, 12:24, 12:24] = 255  # top left of the tile
    sizes = (WIDE_CROP_SIDE_PX, WIDE_CROP_TILE_PX), (40, 32)
    seen = [
        augment(crop, np.array([k]), embedding.AUGMENTATION, sizes, rng())[0, 0, 4:16, 4:16].numpy()
        for k in range(4)
    ]
    where = [int(one.reshape(2, 6, 2, 6).mean((1, 3)).argmax()) for one in seen]
    assert where == [0, 1, 3, 2]


def test_teaching_makes_a_network_that_is_written_and_run(drawn: FewShotTask, tmp_path: Path) -> None:
    path = command.exported(embedding.train([drawn], 3, 1), [drawn] * 4, tmp_path)
    places, states = SignEmbedding(path).embed(np.zeros((2, 40, 40), np.uint8))
    assert (places.shape, states.shape) == ((2, EMBEDDING_DIM), (2, 3))


def test_the_command_trains_on_families_that_it_draws(tmp_path: Path) -> None:
    command.main(["--families", "2", "--steps", "2", "--out", str(tmp_path)])
    assert SignEmbedding(tmp_path / "signs.onnx").embed(np.zeros((1, 40, 40), np.uint8))[0].shape == (
        1,
        EMBEDDING_DIM,
    )


def test_a_folder_that_cannot_be_is_told_before_anything_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(command, "few_shot_tasks", lambda *_: pytest.fail("it draws"))
    with pytest.raises(SystemExit) as ended:
        command.main(["--out", str(tmp_path / "file")])
    assert ended.value.code == BadOutput("").exit_status


def test_families_that_only_write_signs_of_their_own_teach_too(drawn: FewShotTask) -> None:
    own = replace(drawn, signs=tuple(f"{DOODLE_PREFIX}{k}" for k in range(len(drawn.signs))))
    loss = embedding.episode_loss(
        TrainedEmbedding(8), [embedding.sample_episode(rng(), own, {"A": 0, "B": 1})], rng()
    )
    assert torch.isfinite(loss)


def test_fonts_that_are_missing_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(training, "missing_training_fonts", lambda: ("Lato-",))
    with pytest.raises(SystemExit):
        command.main(["--out", str(tmp_path / "file")])
    assert "fonts are missing, so other scenes than usual are drawn: Lato-" in caplog.text
