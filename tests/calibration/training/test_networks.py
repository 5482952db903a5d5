"""Teaching the networks, and how they are written down: only where torch is installed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

torch = pytest.importorskip("torch", reason="torch, which only training needs, is not installed")

from torch import Tensor
from torch.nn import Module

from calibration.training import __main__ as command
from calibration.training import detector, networks
from calibration.training.classifiers import (
    sampling_weights,
    shifted_with_noise,
    train_classifier,
    train_fine_classifier,
)
from calibration.training.evidence import fitted_model
from calibration.training.export import write_onnx, write_quantized
from calibration.training.optimise import optimise
from calibration.training.resume import resume
from calibration.training.targets import detection_targets
from companion.errors import BadOutput, UsageError
from companion.vision.classifier import CLASSES, FINE_CROP, class_of
from companion.vision.networks import (
    CLASSIFIER_PATH,
    DETECTOR_PATH,
    FINE_CLASSIFIER_PATH,
    ClassifierNetwork,
    Detector,
    blocks,
    session,
    standardised,
)
from companion.vision.pipeline.evidence import CandidateOrigin
from tests.calibration.simple import rng

torch.set_num_threads(1)  # a busy machine is no fault of the code
Floats = NDArray[np.float32]
PATCH = {0: "patches", 2: "height", 3: "width"}


def wanted() -> Floats:
    quad = torch.tensor([[(20.0, 20), (40, 20), (40, 40), (20, 40)]])
    return np.asarray(detection_targets(quad, torch.ones(1), torch.zeros(1, dtype=torch.int64), 1, 64))


def saying(
    values: Floats,
) -> Floats:
    """Return what a network says that is sure of just these values."""
    said = values.copy()
    said[:, 0] = np.where(values[:, 0] == 1, 8, -8)
    return said


def loss(said: Floats) -> float:
    return float(detector.loss(torch.from_numpy(said), torch.from_numpy(wanted())))


def test_the_detector_loses_nothing_where_it_says_what_is_wanted() -> None:
    assert loss(saying(wanted())) == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize("channel", range(8))
def test_the_detector_loses_by_an_error_in_any_value(channel: int) -> None:
    said = saying(wanted())
    said[:, channel] = -said[:, channel] + 0.5
    assert loss(said) > 0.05


def test_what_the_detector_says_of_a_half_hidden_tile_does_not_count() -> None:
    said, hidden = saying(wanted()), wanted()
    hidden[:, :8] = 0
    hidden[:, 8] = wanted()[:, 0] == 0
    assert float(detector.loss(torch.from_numpy(said), torch.from_numpy(hidden))) == pytest.approx(
        0, abs=0.01
    )


def test_a_course_changes_a_network_for_the_better() -> None:
    torch.manual_seed(1)
    net, x = torch.nn.Linear(3, 1), torch.randn(64, 3)
    told: list[float] = []

    def off() -> Tensor:
        loss: Tensor = ((net(x) - x.sum(1, keepdim=True)) ** 2).mean()
        told.append(float(loss.detach()))
        return loss

    optimise(net, (off() for _ in range(300)), 300, 0.0)
    assert told[-1] < 0.3 * told[0]


@pytest.mark.parametrize("steps", [1, 10, 11])
def test_even_the_shortest_course_comes_to_its_end(steps: int) -> None:
    net = torch.nn.Linear(3, 1)
    optimise(net, (net(torch.ones(1, 3)).sum() for _ in range(steps)), steps, 0.0)


def test_the_classifier_learns_to_tell_two_crops_apart_the_same_for_the_same_seed() -> None:
    crops = np.zeros((2, 32, 32), np.uint8)
    crops[0, :16] = crops[1, :, 16:] = 200
    labels = np.array([3, 70], np.int16)
    first, again = (train_classifier(crops, labels, 160, seed=2, batch=8) for _ in range(2))
    said = first(torch.from_numpy(standardised(crops)))
    assert said.argmax(1).tolist() == [3, 70]
    assert (said == again(torch.from_numpy(standardised(crops)))).all()


def test_the_fine_classifier_learns_to_tell_crops_apart_however_they_are_turned() -> None:
    crops = np.zeros((2, 56, 56), np.uint8)
    crops[0, 14:42, 14:26] = crops[1, 24:32, 14:42] = 200
    crops[0, 14:22, 14:42] = 200
    labels = np.array([class_of("A", 0), class_of("-", 0)], np.int16)
    net = train_fine_classifier(crops, labels, 160, seed=2, batch=8)
    middle = (56 - FINE_CROP[0]) // 2
    for turn in range(4):
        turned = np.rot90(crops, -turn, (1, 2))[:, middle:-middle, middle:-middle]
        said = net(torch.from_numpy(standardised(turned)))
        assert said.argmax(1).tolist() == [class_of("A", turn), class_of("-", turn)]


def test_rare_crops_are_shown_oftener_than_they_come_but_less_often_than_the_others() -> None:
    rare, *others = sampling_weights(np.array([7, 3, 3, 3, 3], np.int16)).tolist()
    assert others[0] < rare < sum(others)


def test_crops_are_varied_by_noise_and_by_a_pixel_at_most() -> None:
    crops = rng().integers(0, 255, (5, 32, 32), dtype=np.uint8)
    varied = shifted_with_noise(crops, rng(3))
    moved = [standardised(np.roll(crops, (y, x), (1, 2))) for y in (-1, 0, 1) for x in (-1, 0, 1)]
    off = [np.abs(one - varied).mean() for one in moved]
    assert 0.03 < min(off) < 0.1


@pytest.mark.parametrize("size", [(64, 64), (40, 96)])
@pytest.mark.parametrize("colour", [0, 1], ids=["grey", "colour"])
def test_a_written_detector_says_to_the_reader_what_it_said_in_training(
    tmp_path: Path, size: tuple[int, int], colour: int
) -> None:
    net, path = networks.Detector().eval(), tmp_path / "detector.onnx"
    picture = rng().integers(0, 255, size, dtype=np.uint8)
    tones = colour * rng(1).normal(0, 1, (2, size[0] // 4, size[1] // 4)).astype(np.float32)
    inputs = {
        "x": torch.from_numpy(blocks(picture[None], 4) / np.float32(255)),
        "chroma": torch.from_numpy(tones[None]),
    }
    write_onnx(net, inputs, path, PATCH)
    said = net(*inputs.values()).detach().numpy()[0]
    read = Detector(path).values(picture, tones if colour else None)
    assert read.reshape(said.shape) == pytest.approx(said, abs=1e-3)


def test_a_written_classifier_says_to_the_reader_what_it_said_in_training(tmp_path: Path) -> None:
    net, path = networks.Classifier().eval(), tmp_path / "classifier.onnx"
    write_onnx(net, {"x": torch.zeros(2, 4, 16, 16)}, path, {0: "tiles"})
    crops = rng().integers(0, 255, (5, 32, 32), dtype=np.uint8)
    said = net(torch.from_numpy(standardised(crops))).detach().numpy()
    assert said.shape == (5, len(CLASSES))
    assert ClassifierNetwork(path).logits(crops) == pytest.approx(said, abs=1e-3)


def test_in_eight_bits_a_network_is_smaller_and_says_almost_the_same(tmp_path: Path) -> None:
    net, exact, small = networks.Classifier().eval(), tmp_path / "exact.onnx", tmp_path / "classifier.onnx"
    write_onnx(net, {"x": torch.zeros(2, 4, 16, 16)}, exact, {0: "tiles"})
    crops = rng().integers(0, 255, (64, 32, 32), dtype=np.uint8)
    write_quantized(exact, [{"x": standardised(crops)}], small, 0)
    assert small.stat().st_size < 0.4 * exact.stat().st_size
    said, wanted = ClassifierNetwork(small).logits(crops), ClassifierNetwork(exact).logits(crops)
    assert np.corrcoef(said.ravel(), wanted.ravel())[0, 1] > 0.98


@pytest.mark.parametrize(
    "words", [["--lessons", "0"], ["--detector-steps", "-3"], ["--seed", "x"], ["--lessons", "9" * 30]]
)
def test_a_number_that_makes_no_sense_is_refused(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        command.main(words)
    assert caught.value.code == 2
    assert f"argument {words[0]}: a number from 1 to 1000000 is needed" in capsys.readouterr().err


def test_a_folder_that_cannot_be_made_is_told_before_anything_is_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit) as caught:
        command.main(["--out", str(tmp_path / "file" / "folder")])
    assert caught.value.code == BadOutput.exit_status
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize("more", [[], ["--resume"]])
def test_the_classifier_is_taught_alone_where_the_others_are_kept(tmp_path: Path, more: list[str]) -> None:
    words = ["--only", "classifier", "--lessons", "2", "--classifier-epochs", "1", "--out", str(tmp_path)]
    command.main([*words, *more])
    assert [path.name for path in tmp_path.iterdir()] == ["classifier.onnx"]
    logits, features = ClassifierNetwork(tmp_path / "classifier.onnx").embed(np.zeros((3, 32, 32), np.uint8))
    assert logits.shape == (3, len(CLASSES))
    assert len(features) == 3


def test_too_few_boards_for_a_fit_are_refused() -> None:
    held_out = np.zeros((4, 2)), np.zeros(4, np.int64)
    with pytest.raises(UsageError, match="--boards"):
        fitted_model((CandidateOrigin.BESIDE, 1), [(0, held_out)])


def test_all_networks_are_taught_where_nothing_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "fit_evidence", lambda _boards, _seed, out: out.touch())
    short = ["--lessons", "2", "--detector-steps", "1"]
    short += ["--classifier-epochs", "1", "--fine-classifier-steps", "1"]
    command.main([*short, "--out", str(tmp_path / "new")])
    names = sorted(path.name for path in (tmp_path / "new").iterdir())
    classifiers = ["classifier.onnx", "fine_classifier.onnx"]
    assert names == sorted([*classifiers, "detector.onnx", "evidence.json"])
    side = FINE_CROP[0]
    logits = ClassifierNetwork(tmp_path / "new" / "fine_classifier.onnx").logits(
        np.zeros((3, side, side), np.uint8)
    )
    assert logits.shape == (3, len(CLASSES))


@pytest.mark.parametrize(
    ("net", "path", "shapes"),
    [
        (networks.Detector, DETECTOR_PATH, ((16, 16, 16), (2, 16, 16))),
        (networks.Classifier, CLASSIFIER_PATH, ((4, 16, 16),)),
        (networks.FineClassifier, FINE_CLASSIFIER_PATH, ((4, 24, 24),)),
    ],
)
def test_a_shipped_network_is_taken_up_again_as_it_answers(
    net: Callable[[], Module], path: Path, shapes: Sequence[tuple[int, ...]]
) -> None:
    torch.manual_seed(1)
    inputs = tuple(torch.rand(16, *shape) for shape in shapes)
    resumed = net()
    resume(resumed, path, [inputs])
    known = [one.detach().clone() for one in resumed.parameters()]
    shipped = session(path).run(
        ["y"], dict(zip(("x", "chroma"), (one.numpy() for one in inputs), strict=False))
    )[0]
    with torch.no_grad():
        said = resumed.eval()(*inputs).numpy()
        learning = resumed.train()(*inputs).numpy()
    scale = np.abs(shipped).max()
    assert np.abs(said - shipped).mean() < 0.05 * scale  # activations of eight bits are rounded
    assert all(torch.equal(one, other) for one, other in zip(known, resumed.parameters(), strict=True))
    if net is networks.Detector:  # the others leave out some features at random while they learn
        assert np.abs(learning - said).mean() < 0.02 * scale


def test_a_network_of_another_kind_is_not_taken_up() -> None:
    with pytest.raises(ValueError, match="another network"):
        resume(networks.Classifier(), FINE_CLASSIFIER_PATH, [])


def test_a_resumed_classifier_begins_with_what_it_knew() -> None:
    crops, labels = rng().integers(0, 256, (32, 32, 32), np.uint8), np.zeros(32, np.int16)
    resumed = train_classifier(crops, labels, 1, seed=2, start=CLASSIFIER_PATH, batch=32)
    known = networks.Classifier()
    resume(known, CLASSIFIER_PATH, [(torch.from_numpy(standardised(crops)),)])
    first, same = (one.out.weight.detach() for one in (resumed, known))
    assert float((first - same).abs().mean()) < 0.1 * float(same.abs().mean())
