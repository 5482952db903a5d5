"""Wiring: every wire has its place on the header, and what clashes is said with what to do."""

from __future__ import annotations

from itertools import product

import pytest

from companion.config.controls import Button, Common, Controls, Light, LightKind, Place, Strip
from companion.errors import BadConfig, BadWiring
from hardware.wiring import check, default_controls, notes, wires
from hardware.wiring.header import (
    INTERFACE_GPIOS,
    nearest_pin,
    parse_enabled_interfaces,
    pin_names,
    pin_of_gpio,
)

NONE, SINGLE, RGB, STRIP = LightKind.NONE, LightKind.SINGLE, LightKind.RGB, LightKind.STRIP


def with_buttons(*pins: int) -> Controls:
    return Controls(tuple(Place((Button(pin),)) for pin in pins))


def with_light(light: Light) -> Controls:
    return Controls((Place(light=light),))


# the pinout as printed in the Raspberry Pi documentation
@pytest.mark.parametrize(
    ("gpio", "pin"),
    [(2, 3), (3, 5), (4, 7), (17, 11), (10, 19), (11, 23), (0, 27), (21, 40), (14, 8), (7, 26)],
)
def test_a_gpio_is_where_the_header_has_it(gpio: int, pin: int) -> None:
    assert pin_of_gpio(gpio) == pin


def test_power_and_ground_are_where_the_header_has_them() -> None:
    called = pin_names()
    assert [pin for pin in called if called[pin] == "GND"] == [6, 9, 14, 20, 25, 30, 34, 39]
    assert ([pin for pin in called if called[pin] == "5V"], called[1], called[17]) == ([2, 4], "3V3", "3V3")


def test_the_nearest_ground_is_named() -> None:
    assert [nearest_pin(pin, "GND") for pin in (7, 11, 12, 40)] == [9, 9, 14, 39]


def test_a_button_goes_from_its_pin_to_ground() -> None:
    (wire,) = wires(with_buttons(17))
    assert (wire.pin, wire.what, wire.part) == ("GPIO17 (11)", "seat 1 button 1", "button, GND (9)")


def test_each_colour_has_a_resistor_that_fits_its_led() -> None:
    red, green, blue = wires(with_light(Light(RGB, (5, 6, 13))))
    assert [wire.part.split()[0] for wire in (red, green, blue)] == ["330", "100", "100"]
    # by Ohm's law, with the least drops of the data sheets: (3.3 V - 1.8 V) / 330 ohms, (3.3 V - 2.8 V) / 100
    assert [round(wire.ma, 2) for wire in (red, green, blue)] == [4.55, 5.0, 5.0]


def test_leds_with_their_anodes_together_go_to_3_3_volts() -> None:
    assert "3V3 (17)" in wires(with_light(Light(RGB, (5, 6, 13), common=Common.ANODE)))[0].part


def test_a_strip_has_data_clock_power_and_ground_once() -> None:
    on_strip = wires(Controls((Place(light=Light(STRIP)),) * 3, Strip()))
    assert [wire.pin for wire in on_strip] == ["GPIO10 (19)", "GPIO11 (23)", "5V (2)", "GND (25)"]


ASKED = [
    (seats, buttons, lights, buzzer)
    for seats, buttons, lights, buzzer in product(range(1, 13), range(1, 5), LightKind, (False, True))
    if seats * (buttons + {SINGLE: 1, RGB: 3}.get(lights, 0)) + buzzer <= (21 if lights is STRIP else 26)
]


@pytest.mark.parametrize("lights", LightKind)
def test_every_table_that_the_header_has_pins_for_is_laid_out_without_a_clash(lights: LightKind) -> None:
    asked = [one for one in ASKED if one[2] is lights]
    assert len(asked) > 10
    for seats, buttons, kind, buzzer in asked:
        controls = default_controls(seats, buttons, kind, buzzer=buzzer)
        check(controls)
        assert (len(controls.seats), len(controls.seats[0].buttons)) == (seats, buttons)


@pytest.mark.parametrize("name", INTERFACE_GPIOS)
def test_a_table_keeps_off_the_interfaces_that_are_in_use(name: str) -> None:
    controls = default_controls(6, 2, SINGLE, in_use={name})
    assert {wire.gpio for wire in wires(controls)} & set(INTERFACE_GPIOS[name]) == set()
    check(controls, {name})


def test_a_table_that_needs_more_pins_than_there_are_says_what_to_take() -> None:
    with pytest.raises(BadWiring, match="need 28 pins, but 26 are free; take fewer buttons, single lights"):
        default_controls(4, 4, RGB)


@pytest.mark.parametrize(("seats", "buttons"), [(14, 0), (-1, 1), (2, 5), (2, -1)])
def test_a_table_that_nobody_has_is_refused(seats: int, buttons: int) -> None:
    with pytest.raises(BadConfig):
        default_controls(seats, buttons, NONE)


@pytest.mark.parametrize(
    ("controls", "says"),
    [
        (
            with_buttons(17, 17),
            r"GPIO17 \(11\) is used by seat 1 button 1 and seat 2 button 1; give each its own; free: GPIO4, ",
        ),
        (
            Controls((Place((Button(5),), Light(RGB, (5, 6, 13))),)),
            "is used by seat 1 button 1 and seat 1 red",
        ),
        (
            Controls((Place((Button(9),), Light(STRIP)),), Strip()),
            r"GPIO9 \(21\), seat 1 button 1: SPI uses this pin; switch that off or take another",
        ),
        (Controls(with_buttons(2).seats, interfaces=("i2c",)), r"GPIO2 \(3\), .*: I2C uses this pin"),
        (Controls(with_buttons(15).seats, interfaces=("uart",)), r"GPIO15 \(10\), .*: UART uses this pin"),
        (with_buttons(1), r"GPIO1 \(28\), .*: the Pi itself uses this pin at start; take another"),
        (with_light(Light(SINGLE, (3,))), r"GPIO3 \(5\), .*: this pin is pulled up"),
        (with_light(Light(SINGLE, (17,), (50,))), r"seat 1 light: 30 of 16 mA; take a larger resistor"),
        (
            # six times 14.55 mA
            Controls(tuple(Place(light=Light(RGB, (n, n + 1, n + 2))) for n in range(4, 22, 3))),
            "all lights together take 87 mA, the pins give 50; use resistors 1.8 times as large",
        ),
    ],
)
def test_what_cannot_be_wired_is_said_with_what_to_do(controls: Controls, says: str) -> None:
    with pytest.raises(BadWiring, match=says):
        check(controls)


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(BadWiring) as told:
        check(with_buttons(0, 17, 17))
    assert len(str(told.value).splitlines()) == 2


def test_pins_of_an_interface_that_the_pi_switches_on_are_not_to_be_had() -> None:
    check(with_buttons(14))
    with pytest.raises(BadWiring, match="UART uses this pin"):
        check(with_buttons(14), {"uart"})


def test_what_config_txt_switches_on_is_found() -> None:
    told = "# dtparam=i2c_arm=on\n[pi4]\ndtparam = spi=on  # the strip\nenable_uart=1\ndtoverlay=disable-bt\n"
    assert parse_enabled_interfaces(told) == {"spi", "uart"}


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("dtparam=i2c_arm=on,i2c_arm_baudrate=400000", {"i2c"}),
        ("dtparam=audio=on,spi=yes", {"spi"}),
        ("dtparam=spi", {"spi"}),
        ("dtparam=spi=off,i2c_arm=off", set()),
        ("dtparam=i2s=on", {"i2s"}),
        ("dtoverlay=hifiberry-dac", {"i2s"}),
        ("dtoverlay=max98357a,no-sdmode", {"i2s"}),
        ("dtoverlay=w1-gpio", {"w1"}),
        ("dtoverlay=vc4-kms-v3d\nenable_uart=0", set()),
    ],
)
def test_a_line_of_config_txt_is_read_as_the_firmware_reads_it(line: str, names: set[str]) -> None:
    assert parse_enabled_interfaces(line) == names


def test_the_power_of_a_strip_is_told_and_when_it_needs_a_supply_of_its_own() -> None:
    small = Controls((Place(light=Light(STRIP)),) * 2, Strip(leds=8, brightness=0.5))
    large = Controls((Place(light=Light(STRIP)),) * 8, Strip(leds=8, brightness=0.5))
    assert "16 APA102 LEDs, at most 480 mA at 5 V" in notes(small)[0]
    assert "16 APA102" in notes(small)[0]
    assert not any("supply" in note for note in notes(small))
    assert any("give it a 5 V supply" in note for note in notes(large))


def test_the_level_shifter_of_a_strip_is_powered_and_enabled() -> None:
    # data sheet of the 74AHCT125: the outputs are off while their enables 1, 4, 10, 13 are high
    told = notes(Controls((Place(light=Light(STRIP)),), Strip()))[1]
    assert told == "74AHCT125: VCC (14) to 5 V; GND (7) and the enables (1, 4, 10, 13) to ground."
