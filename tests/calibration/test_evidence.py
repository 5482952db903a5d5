"""Fitting what boards' colours tell: only where torch is installed."""

from __future__ import annotations

import json
import resource
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch, which only training needs, is not installed")

from calibration.drawing.camera import View  # noqa: E402 - these need torch
from calibration.drawing.equations import equation_game  # noqa: E402
from calibration.training import evidence  # noqa: E402
from calibration.training.evidence import (  # noqa: E402
    OUTCOME_NUMBERS,
    UNCLEAR,
    fit_evidence,
    fitted_model,
    outcomes_of,
)
from companion.model.tiles import tile_set  # noqa: E402
from companion.vision.detector.detections import Detections  # noqa: E402
from companion.vision.pipeline.evidence import (  # noqa: E402
    FEATURE_NAMES,
    CandidateOrigin,
    LogisticModel,
    Outcome,
    models,
)
from tests.calibration.simple import rng  # noqa: E402

torch.set_num_threads(1)


def test_a_detection_is_what_lies_under_its_middle_and_nothing_is_learnt_of_what_is_hidden() -> None:
    scene = equation_game(rng(3), View(480, 360, 12, 0.0, 0.0), tile_set("binary").counts or {})
    corners = np.array([tile.corners for tile in scene.tiles])
    middles = np.concatenate([corners.mean(1), [(-200.0, -200.0)]])
    n = len(middles)
    found = outcomes_of(
        Detections(middles, np.tile(np.eye(2) * 12, (n, 1, 1)), np.zeros(n), np.ones(n)), scene.tiles
    )
    assert found[-1] == OUTCOME_NUMBERS[Outcome.NONE]
    for tile, outcome in zip(scene.tiles, found[:-1].tolist(), strict=True):
        whole = OUTCOME_NUMBERS[Outcome.SYMBOL if tile.symbol else Outcome.BARE]
        assert outcome == (whole if tile.visible > evidence.MIN_VISIBLE_SHARE else UNCLEAR)


def test_a_fitted_model_tells_outcomes_apart_and_says_one_half_where_nothing_does() -> None:
    draw = rng(4)
    features = draw.normal(0, 1, (600, len(FEATURE_NAMES)))
    outcomes = np.where(features[:, 4] > 0, OUTCOME_NUMBERS[Outcome.SYMBOL], OUTCOME_NUMBERS[Outcome.NONE])
    boards = [(k, (features[k::10], outcomes[k::10])) for k in range(10)]
    told = fitted_model((CandidateOrigin.ON_SQUARE, 3), boards)
    model = LogisticModel(*(np.array(told[part]) for part in ("low", "high", "mean", "spread", "weights")))
    middle = np.zeros((3, len(FEATURE_NAMES)))
    middle[:, 4] = (-1.0, 0.0, 1.0)
    chances = model.probabilities(middle)
    assert chances.sum(1) == pytest.approx(1)
    symbol = chances[:, OUTCOME_NUMBERS[Outcome.SYMBOL]]
    assert symbol[0] < 0.1
    assert 0.2 < symbol[1] < 0.8
    assert symbol[2] > 0.9


@pytest.mark.slow
def test_models_are_fitted_to_a_few_boards_and_read_as_they_were_written(tmp_path: Path) -> None:
    out = tmp_path / "evidence.json"
    fit_evidence((30, 10), 1, out)
    assert json.loads(out.read_text())["features"] == list(FEATURE_NAMES)
    assert {where for where, _ in models(out)} == set(CandidateOrigin)


def test_a_model_that_cannot_be_written_whole_leaves_the_earlier_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = nullcontext(SimpleNamespace(imap=lambda *_, **__: ()))
    monkeypatch.setattr(evidence, "get_context", lambda _: SimpleNamespace(Pool=lambda *_: nothing))
    out = tmp_path / "evidence.json"
    out.write_text("earlier")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    try:
        with pytest.raises(OSError, match="too large"):
            fit_evidence((1, 1), 1, out)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert out.read_text() == "earlier"
