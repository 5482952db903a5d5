"""The sign network and its few-shot training.

It embeds the crop of a tile so that crops of one sign in one quarter turn are close together.  Each step
classifies the crops of one picture by the class means of another picture of the same tiles (Snell et al.,
"Prototypical Networks for Few-shot Learning", 2017).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from calibration.drawing.rng import Rng
from calibration.training.augmentation import Augmentation, augment
from calibration.training.networks import ResidualBlock, conv
from calibration.training.optimise import DEVICE, on_device, optimise
from calibration.training.signs.tasks import BACKGROUND, BLANK, DOODLE_PREFIX, WIDE_CROP_SIDE_PX, FewShotTask
from calibration.training.signs.tasks import WIDE_CROP_TILE_PX as WIDE_TILE
from companion.vision.fewshot.embedding import EMBEDDING_DIM, SIGN_CROP

STATES = 3
"""States of a crop: a tile with a sign, a blank tile, no tile."""
TASKS_PER_STEP, MAX_SIGNS_PER_EPISODE, SHOTS, MAX_BACKGROUND_CROPS = 4, 12, 3, 10
"""Sizes of a step: tasks; signs of each task; crops of a sign from each picture; crops without a tile."""
SECOND_TURN_SIGNS = 4
"""Number of signs of a task that are also shown in a second quarter turn, as a class of their own."""
NAME_LOSS_WEIGHT, TURN_LOSS_WEIGHT, STATE_LOSS_WEIGHT = 0.4, 0.3, 0.5
"""Weights of the other losses: classification by the sign's name, of its quarter turn, of the state."""
AUGMENTATION = Augmentation(rotation=0.05, shear=0.05, scale=0.06, translation=0.04)
SIZES = (WIDE_CROP_SIDE_PX, WIDE_TILE), SIGN_CROP


class SignNetwork(nn.Module):
    """From standardised crops in blocks, (n, 4, 20, 20), to (n, 99): an embedding, a logit for each state."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            conv(4, 24),
            conv(24, 48, 3, 2),
            conv(48, 80, 3, 2),
            ResidualBlock(80),
            conv(80, 56, 1, 1),
            nn.Flatten(),
            nn.Dropout(0.1),
        )
        self.out = nn.Linear(56 * 25, EMBEDDING_DIM + STATES)

    def forward(self, x: Tensor) -> Tensor:
        """Return embedding and states, (n, 99)."""
        out: Tensor = self.out(self.body(x))
        return out


class TrainedEmbedding(nn.Module):
    """The network with the parts that only training needs: a classifier of all named signs and a scale.

    ``log_scale`` is the logarithm of the factor of squared distances before the softmax.
    """

    def __init__(self, signs: int) -> None:
        super().__init__()
        self.net = SignNetwork()
        self.named = nn.Linear(EMBEDDING_DIM, signs)
        self.log_scale = nn.Parameter(torch.tensor(-2.0))


@dataclass(frozen=True, slots=True)
class Episode:
    """The crops of one task in one step: three of every sign and turn from each picture, then no tiles.

    ``crops`` (n, 56, 56); ``turn`` (n,) quarters clockwise by which each is turned; ``state`` (n,) 0 a sign,
    1 a blank face, 2 no tile; ``own`` (n,) the class of its sign and turn within the task; ``name`` (n,) that
    within all named signs, -1 for made-up signs.
    """

    crops: NDArray[np.uint8]
    turn: NDArray[np.int64]
    state: NDArray[np.int64]
    own: NDArray[np.int64]
    name: NDArray[np.int64]


def train(tasks: Sequence[FewShotTask], steps: int, seed: int) -> SignNetwork:
    """Return a network trained on tasks."""
    torch.manual_seed(seed)
    signs = dict.fromkeys(sign for one in tasks for sign in one.signs if not sign.startswith(DOODLE_PREFIX))
    names = {sign: k for k, sign in enumerate(signs)}
    model = TrainedEmbedding(4 * len(names)).train()
    rng = np.random.default_rng(seed)

    def losses() -> Iterator[Tensor]:
        for _ in range(steps):
            chosen = rng.integers(len(tasks), size=TASKS_PER_STEP)
            yield episode_loss(model, [sample_episode(rng, tasks[k], names) for k in chosen], rng)

    optimise(model, losses(), steps, 1e-2, clip=5.0)
    return model.net.eval()


def sample_episode(rng: Rng, task: FewShotTask, names: dict[str, int]) -> Episode:
    """Return a random episode of a task; ``names`` numbers all named signs."""
    able = [
        k
        for k in (*range(len(task.signs)), BLANK)
        if all(((task.shows == k) & (task.picture == p)).sum() >= SHOTS for p in (0, 1))
    ]
    chosen = rng.permutation(able)[:MAX_SIGNS_PER_EPISODE].tolist()
    labels = [(k, int(rng.integers(4))) for k in chosen]
    labels += [
        (k, (turn + int(rng.integers(1, 4))) % 4) for k, turn in labels[:SECOND_TURN_SIGNS] if k != BLANK
    ]
    rows: list[int] = []
    for k, _ in labels:
        for p in (0, 1):
            rows += rng.choice(np.flatnonzero((task.shows == k) & (task.picture == p)), SHOTS, False).tolist()
    empty = np.flatnonzero(task.shows == BACKGROUND)
    none = rng.choice(empty, min(MAX_BACKGROUND_CROPS, len(empty)), False).tolist()
    turn = [turn for _, turn in labels for _ in range(2 * SHOTS)] + rng.integers(4, size=len(none)).tolist()
    shows = task.shows[rows + none]
    state = np.where(shows == BACKGROUND, 2, np.where(shows == BLANK, 1, 0))
    number = np.array([names.get(sign, -1) for sign in task.signs])
    name = np.where((shows >= 0) & (number[shows] >= 0), number[shows] * 4 + turn, -1)
    return Episode(task.crops[rows + none], np.array(turn), state, shows * 4 + np.array(turn), name)


def episode_loss(model: TrainedEmbedding, episodes: Sequence[Episode], rng: Rng) -> Tensor:
    """Return the loss of one step."""
    crops = np.concatenate([one.crops for one in episodes])
    x = augment(crops, np.concatenate([one.turn for one in episodes]), AUGMENTATION, SIZES, rng)
    labels = (
        np.concatenate(parts) for parts in zip(*((one.state, one.name) for one in episodes), strict=True)
    )
    x, state, name = on_device(x, *(torch.from_numpy(part) for part in labels))
    with torch.autocast(DEVICE.type, torch.bfloat16):  # half the time
        out = model.net(x).float()
    loss = STATE_LOSS_WEIGHT * functional.cross_entropy(out[:, EMBEDDING_DIM:], state)
    has_name = name >= 0
    if has_name.any():  # all signs of a step may be made up
        logits = model.named(out[has_name, :EMBEDDING_DIM])
        loss = loss + NAME_LOSS_WEIGHT * functional.cross_entropy(
            logits, name[has_name], label_smoothing=0.05
        )
    start, scale = 0, model.log_scale.exp()
    for one in episodes:
        embedding = out[start : start + len(one.state), :EMBEDDING_DIM][one.state < 2]
        start += len(one.state)
        loss = loss + prototypical_loss(embedding, one, scale) / len(episodes)
    return loss


def prototypical_loss(embedding: Tensor, one: Episode, scale: Tensor) -> Tensor:
    """Return the loss of classifying the crops of either picture by the class means of the other one."""
    own = one.own[one.state < 2].reshape(-1, 2, SHOTS)[:, 0, 0]
    embedding = embedding.reshape(len(own), 2, SHOTS, EMBEDDING_DIM)
    means = embedding.mean(2)
    sign = torch.from_numpy(own // 4).to(embedding.device)
    same_sign = sign[:, None] == sign[None]
    loss = embedding.sum() * 0
    for p in (0, 1):
        distances = torch.cdist(embedding[:, p].reshape(-1, EMBEDDING_DIM), means[:, 1 - p]) ** 2
        log_p = functional.log_softmax(-scale * distances, 1)
        truth = torch.arange(len(own), device=sign.device).repeat_interleave(SHOTS)
        any_turn = torch.logsumexp(log_p.masked_fill(~same_sign[truth], -1e4), 1)
        loss = loss - any_turn.mean() / 2 + TURN_LOSS_WEIGHT * functional.nll_loss(log_p, truth) / 2
    return loss
