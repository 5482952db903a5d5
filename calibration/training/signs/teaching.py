"""Teaching the network of signs: what was written thrice in one picture is told in another one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from calibration.drawing.rng import Rng
from calibration.training.course import channels_last, course
from calibration.training.signs.families import BARE, DOODLE, NOTHING, SIDE, Family
from calibration.training.signs.families import TILE as WIDE
from calibration.training.signs.network import PLACE, Lesson, Signs
from calibration.training.varied import Errors, varied
from companion.vision.fewshot.embedding import CROP, TILE

FAMILIES, KINDS, SHOTS, EMPTY = 4, 12, 3, 10
"""A step: so many families; of each so many signs in a turn, thrice in each of two pictures, and no tiles."""
TWICE = 4
"""So many of the signs of a family come in a second turn too."""
NAMED, TURNED, STATED = 0.4, 0.3, 0.5
"""What the other losses count beside that of telling signs: naming them, their turns, tiles from none."""
ERRORS = Errors(turn=0.05, bend=0.05, swell=0.06, shift=0.04)
SIZES = (SIDE, WIDE), (CROP, TILE)


@dataclass(frozen=True, slots=True)
class Lot:
    """What a step learns from one family: three crops of every sign in a turn from each picture, and others.

    ``crops`` (n, 56, 56); ``turn`` (n,) by how many quarters clockwise each is to be turned; ``state`` (n,) 0
    a sign, 1 a bare face, 2 no tile; ``own`` (n,) the number of its sign and turn within the family, and
    ``name`` (n,) within all that have a name, -1 without: signs made up have none.
    """

    crops: NDArray[np.uint8]
    turn: NDArray[np.int64]
    state: NDArray[np.int64]
    own: NDArray[np.int64]
    name: NDArray[np.int64]


def train(families: Sequence[Family], steps: int, seed: int) -> Signs:
    """Return a network taught on families."""
    torch.manual_seed(seed)
    signs = dict.fromkeys(sign for one in families for sign in one.signs if not sign.startswith(DOODLE))
    names = {sign: k for k, sign in enumerate(signs)}
    lesson = Lesson(4 * len(names)).train()
    channels_last(lesson)
    rng = np.random.default_rng(seed)

    def losses() -> Iterator[Tensor]:
        for _ in range(steps):
            chosen = rng.integers(len(families), size=FAMILIES)
            yield loss_of(lesson, [lot(rng, families[k], names) for k in chosen], rng)

    course(lesson, losses(), steps, 1e-2, clip=5.0)
    return lesson.net.eval()


def lot(rng: Rng, family: Family, names: dict[str, int]) -> Lot:
    """Return what one family teaches in a step: for each label three crops of either picture, then none."""
    able = [
        k
        for k in (*range(len(family.signs)), BARE)
        if all(((family.shows == k) & (family.picture == p)).sum() >= SHOTS for p in (0, 1))
    ]
    chosen = rng.permutation(able)[:KINDS].tolist()
    labels = [(k, int(rng.integers(4))) for k in chosen]
    labels += [(k, (turn + int(rng.integers(1, 4))) % 4) for k, turn in labels[:TWICE] if k != BARE]
    rows: list[int] = []
    for k, _ in labels:
        for p in (0, 1):
            rows += rng.choice(
                np.flatnonzero((family.shows == k) & (family.picture == p)), SHOTS, False
            ).tolist()
    empty = np.flatnonzero(family.shows == NOTHING)
    none = rng.choice(empty, min(EMPTY, len(empty)), False).tolist()
    turn = [turn for _, turn in labels for _ in range(2 * SHOTS)] + rng.integers(4, size=len(none)).tolist()
    shows = family.shows[rows + none]
    state = np.where(shows == NOTHING, 2, np.where(shows == BARE, 1, 0))
    number = np.array([names.get(sign, -1) for sign in family.signs])
    name = np.where((shows >= 0) & (number[shows] >= 0), number[shows] * 4 + turn, -1)
    return Lot(family.crops[rows + none], np.array(turn), state, shows * 4 + np.array(turn), name)


def loss_of(lesson: Lesson, lots: Sequence[Lot], rng: Rng) -> Tensor:
    """Return the loss of one step."""
    crops = np.concatenate([one.crops for one in lots])
    x = varied(crops, np.concatenate([one.turn for one in lots]), ERRORS, SIZES, rng)
    with torch.autocast("cpu", torch.bfloat16):  # half the time
        out = lesson.net(x).float()
    state = torch.from_numpy(np.concatenate([one.state for one in lots]))
    name = torch.from_numpy(np.concatenate([one.name for one in lots]))
    loss = STATED * functional.cross_entropy(out[:, PLACE:], state)
    some = name >= 0
    if some.any():  # families may all write signs of their own
        said = lesson.named(out[some, :PLACE])
        loss = loss + NAMED * functional.cross_entropy(said, name[some], label_smoothing=0.05)
    start, warmth = 0, lesson.warmth.exp()
    for one in lots:
        place = out[start : start + len(one.state), :PLACE][torch.from_numpy(one.state) < 2]
        start += len(one.state)
        loss = loss + telling(place, one, warmth) / len(lots)
    return loss


def telling(place: Tensor, one: Lot, warmth: Tensor) -> Tensor:
    """Return how badly the crops of either picture are told by those of the other one."""
    own = one.own[one.state < 2].reshape(-1, 2, SHOTS)[:, 0, 0]
    place = place.reshape(len(own), 2, SHOTS, PLACE)
    middles = place.mean(2)
    sign = torch.from_numpy(own // 4)
    alike = sign[:, None] == sign[None]
    loss = place.sum() * 0
    for p in (0, 1):
        away = torch.cdist(place[:, p].reshape(-1, PLACE), middles[:, 1 - p]) ** 2
        chance = functional.log_softmax(-warmth * away, 1)
        truth = torch.arange(len(own)).repeat_interleave(SHOTS)
        any_turn = torch.logsumexp(chance.masked_fill(~alike[truth], -1e4), 1)
        loss = loss - any_turn.mean() / 2 + TURNED * functional.nll_loss(chance, truth) / 2
    return loss
