"""How a camera fares, from its last frames alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from hardware.cameras.health import (
    ExposureControl,
    FrameStats,
    Health,
    History,
    Limits,
    State,
    frame_stats,
    health,
    subsampled,
)
from hardware.clock import SECOND

NOW = 100 * SECOND


def stats(
    rate: float = 10, since_s: float = 4, until_s: float = 0, bright: float = 200, apart: float = 9
) -> list[FrameStats]:
    """Return what is kept of frames at an even rate, from so long ago until so long ago."""
    count = round((since_s - until_s) * rate)
    return [
        FrameStats(round(NOW - since_s * SECOND + n * SECOND / rate), bright, apart)
        for n in range(1, count + 1)
    ]


def told(seen: Sequence[FrameStats], trouble: str = "", fps: float = 10, started_s: float = 60) -> Health:
    return health(History(round(NOW - started_s * SECOND), seen, trouble), NOW, Limits(fps=fps))


FINE, BURNT, DIM, BLACK = (200, 0.0), (240, 0.2), (30, 0.0), (5, 0.0)


@pytest.mark.parametrize(
    ("parts", "stops"),
    [
        ([FINE, FINE], []),
        ([FINE, BURNT], [0]),  # a lamp goes on
        ([FINE, DIM], [0]),  # dusk
        ([BURNT] * 6, [1, 2, 3]),  # white tiles on a dark table, where darker pictures are still too bright
        ([BURNT, FINE, FINE, BURNT], [1, 1]),  # and once it is right, another lamp
        ([DIM] * 3, []),  # no exposure makes it brighter
        ([BURNT, BURNT, DIM, DIM], [1, 2, 0]),
        ([BLACK, BURNT], [0]),  # it was started in the dark
        ([FINE, BLACK, BLACK], []),
    ],
)
def test_a_locked_exposure_is_chosen_anew_where_frames_stay_too_dark_or_too_bright(
    parts: Sequence[tuple[float, float]], stops: Sequence[int]
) -> None:
    control = ExposureControl(Limits())
    seen = [
        FrameStats(round((6 * part + k / 10) * SECOND), shade, 9, 1.0, overexposed)
        for part, (shade, overexposed) in enumerate(parts)
        for k in range(60)
    ]
    assert [asked for one in seen if (asked := control.stops(one)) is not None] == stops


def test_a_sheet_of_paper_in_passing_is_no_other_light() -> None:
    control = ExposureControl(Limits())
    for k in range(200):
        burnt = 100 < k < 145
        assert control.stops(FrameStats(k * SECOND // 10, 200, 9, 1.0, 0.2 * burnt)) is None


def test_overexposed_pixels_are_counted() -> None:
    picture = np.full((80, 80), 100, np.uint8)
    picture[:20, :20] = 255
    assert frame_stats(0, picture, None).overexposed == pytest.approx(1 / 16)


def test_frames_that_come_as_promised_are_well() -> None:
    assert told(stats()).state is State.OK


def test_a_camera_that_was_just_started_is_waited_for() -> None:
    assert told([], started_s=3).state is State.WAITING


def test_a_camera_that_never_sends_anything_is_gone() -> None:
    fares = told([], started_s=9)
    assert fares.state is State.GONE
    assert "cable" in fares.says


def test_a_fault_of_the_device_is_said_in_its_words() -> None:
    assert told(stats(), trouble="was unplugged") == Health(State.GONE, NOW, "was unplugged")


def test_silence_of_less_than_two_seconds_is_noticed() -> None:
    assert told(stats(until_s=1.4)).state is not State.GONE
    fares = told(stats(until_s=1.6))
    assert fares.state is State.GONE
    assert fares.since_ns == NOW - 1.6 * SECOND


def test_black_frames_are_noticed_within_two_seconds() -> None:
    light, dark = stats(until_s=1.8), stats(since_s=1.8, bright=20)
    fares = told(light + dark)
    assert (fares.state, fares.since_ns) == (State.BLACK, dark[0].came_ns)
    assert "light" in fares.says


def test_a_hand_before_the_lens_for_a_moment_is_not_black() -> None:
    assert told(stats(until_s=0.8) + stats(since_s=0.8, bright=5)).state is State.OK


def test_the_very_same_frame_again_and_again_is_frozen_within_two_seconds() -> None:
    fares = told(stats(until_s=1.8) + stats(since_s=1.8, apart=0))
    assert (fares.state, fares.since_ns) == (State.FROZEN, NOW - 1.8 * SECOND)


def test_a_still_table_is_not_frozen_while_the_sensor_lives() -> None:
    assert told(stats(apart=1)).state is State.OK


def test_half_the_frames_that_were_promised_are_too_few() -> None:
    assert told(stats(rate=6)).state is State.OK
    fares = told(stats(rate=4))
    assert fares.state is State.SLOW
    assert fares.says.startswith("sends 4.0 pictures a second, not 10")


def test_a_camera_that_is_slow_is_still_believed() -> None:
    assert told(stats(rate=4)).sees
    assert not told(stats(bright=5)).sees


def test_a_camera_that_began_a_moment_ago_is_not_called_slow() -> None:
    assert told(stats(since_s=0.3)).state is State.OK


def test_a_camera_of_one_frame_in_two_seconds_is_waited_for_accordingly() -> None:
    assert told(stats(rate=0.5, since_s=16), fps=0.5).state is State.OK
    assert told(stats(rate=0.5, since_s=16, until_s=4), fps=0.5).state is State.OK
    assert told(stats(rate=0.5, since_s=16, until_s=7), fps=0.5).state is State.GONE


def test_a_source_whose_stillness_is_no_fault_is_never_frozen() -> None:
    limits = Limits(fps=10, frozen_s=float("inf"))
    assert health(History(0, stats(apart=0)), NOW, limits).state is State.OK


def test_a_glimpse_tells_brightness_and_change() -> None:
    dark, spot = np.zeros((80, 80), np.uint8), np.zeros((80, 80), np.uint8)
    spot[:40] = 200
    first = frame_stats(1, subsampled(dark), None)
    second = frame_stats(2, subsampled(spot), subsampled(dark))
    assert (first.brightness, first.difference) == (0, 255)
    assert (second.brightness, second.difference) == (200, 200)


def test_a_darker_pixel_is_as_great_a_change_as_a_brighter_one() -> None:
    light, dark = np.full((16, 16), 250, np.uint8), np.full((16, 16), 10, np.uint8)
    assert frame_stats(1, dark, light).difference == frame_stats(1, light, dark).difference == 240


@pytest.mark.parametrize("shape", [(81, 63), (81, 63, 3)])
def test_every_eighth_pixel_is_looked_at(shape: tuple[int, ...]) -> None:
    assert subsampled(np.zeros(shape, np.uint8)).shape == (11, 8)


RTSP = Limits(fps=10, repeats_s=8)


def standing(seconds: float, *before: FrameStats, limits: Limits = RTSP) -> State:
    """Return what is said of a stream that has sent the same picture for so long, after something else."""
    same = [
        FrameStats(NOW - round((seconds - n / 10) * SECOND), 200, 0, 0)
        for n in range(1, round(seconds * 10) + 1)
    ]
    return health(History(0, [*before, *same], ""), NOW, limits).state


def changing(share: float, every: int = 1, until_s: float = 1.8, lasting_s: float = 7) -> list[FrameStats]:
    """Return frames that change in a share of the picture, all of them or one of so many."""
    count = round(lasting_s * 10)
    start_ns = NOW - round((until_s + lasting_s) * SECOND)
    return [
        FrameStats(
            start_ns + (n + 1) * SECOND // 10, 200, 9 if n % every == 0 else 0, share * (n % every == 0)
        )
        for n in range(count)
    ]


def test_a_lively_stream_that_freezes_is_noticed_within_two_seconds() -> None:
    assert standing(1.8, *changing(1.0)) is State.FROZEN
    assert standing(1.8, *changing(0.8, every=4)) is State.FROZEN


def test_a_codec_that_repeats_a_still_table_is_not_called_frozen_until_its_next_whole_frame() -> None:
    assert standing(1.8, *changing(1.0, every=20)) is State.OK
    assert standing(6.0, *changing(1.0, every=20, until_s=6.0)) is State.OK
    assert standing(8.1, *changing(1.0, every=20, until_s=8.1)) is State.FROZEN


def test_hands_that_leave_a_table_are_no_proof_of_a_lively_stream() -> None:
    assert standing(1.8, *changing(0.3)) is State.OK


def test_a_stream_that_has_just_begun_is_given_time() -> None:
    assert standing(1.8, *changing(1.0, lasting_s=3)) is State.OK


def test_frames_are_remembered_long_enough_to_notice_the_longest_standstill() -> None:
    assert RTSP.kept_s > RTSP.repeats_s + 5
    assert Limits(fps=10).kept_s == 2.5


def test_where_a_picture_changes_is_seen_part_by_part() -> None:
    still = np.full((64, 80), 90, np.uint8)
    hand = still.copy()
    hand[:8, :10] = 200
    assert frame_stats(0, hand, still).changed_share == 1 / 64
    assert frame_stats(0, still, still).changed_share == 0
    assert frame_stats(0, np.asarray(still + 1, np.uint8), still).changed_share == 1
