"""What setting a table up refuses or doubts is said in German too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from calibration.enrolment.storage import checked_name
from calibration.lens.data_sheets import focal_warning
from calibration.lens.fit import FitOptions, fit
from calibration.table.finding import check_rectangle
from calibration.table.zones import default_zones
from companion.errors import CompanionError
from companion.model.profile import CameraId, Profile, Zone, ZoneKind
from companion.vision.grid.homography import known_table
from companion.web.i18n.language import translate, use_language
from tests.calibration.lens.made import SIZE, ordinary, sights

LENS = ordinary()
PROFILE = Profile(CameraId("lamp", 640, 480), "2026-01-01T00:00:00+00:00")
SEAT = Zone(ZoneKind.SEAT, 1, ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0)))


def german(text: str) -> str:
    """Return what pages say in German."""
    with use_language("de"):
        return translate(text)


@pytest.mark.parametrize(
    ("refused", "says"),
    [
        (lambda: fit(sights(LENS)[:1]), "besser 12; es ist erst 1 da"),
        (lambda: fit(sights(LENS)[:4]), "besser 12; es sind erst 4 da"),
        (lambda: fit([replace(sights(LENS)[0], size=(640, 480)), *sights(LENS)]), "Bilder von 640 x 480 und"),
        (lambda: fit(sights(LENS)[:1] * 6), "Halte sie auch in die Ecken"),
        (lambda: fit(sights(LENS), FitOptions(most_error_px=1e-9)), "Ist die Tafel eben"),
        (lambda: check_rectangle(np.diag([1.0, 2.0, 1.0]), LENS, (800, 600)), "800 mm Breite wäre"),
        (lambda: default_zones(99, 800, 600), "Plätze, nicht 99"),
        (lambda: PROFILE.of_picture(320, 240), "das Bild hat 320 x 240: Stelle die Kamera"),
        (lambda: replace(PROFILE, zones=(SEAT, SEAT)), "nicht brauchbar: ein Platz hat zwei Teile"),
        (lambda: known_table(PROFILE), "kennt noch keinen Tisch"),
        (lambda: checked_name("No name"), "'No name' kann keine Steine benennen"),
        (lambda: checked_name("scrabble-en"), "Gib deinen einen anderen Namen"),
    ],
)
def test_a_refusal_is_said_in_german(refused: Callable[[], object], says: str) -> None:
    with pytest.raises(CompanionError) as error:
        refused()
    assert says in german(str(error.value))


def test_a_doubt_of_the_lens_is_said_in_german() -> None:
    assert german(focal_warning(100.0, SIZE[0], "module-2")).startswith("gefunden wurde eine Brennweite")
