"""The script ``run``: it installs what is missing, says what it cannot, and hands the words on."""

from __future__ import annotations

import os
import pty
import signal
from pathlib import Path

import pytest

from tests.run.bare_machine import RECORD, SUDO, Bench

ASK_BY_HAND = "as root: apt-get install "


def installs(bench: Bench) -> int:
    return len(bench.locked())


def venvs(bench: Bench) -> list[list[str]]:
    return [call for name in ("python3", "python3.13") for call in bench.calls(name, "-m", "venv")]


# Handing on


def test_words_reach_the_companion_as_they_were_given(ready: Bench) -> None:
    words = ["judge", "a b", "", "*", "$HOME", "-v", "--", "it's", 'say "peel"', "ÄÖ"]
    ready.run(*words)
    assert ready.calls("python", "-P") == [["python", "-P", "-m", "companion", *words]]


def test_the_word_test_is_a_word_like_any_other_after_the_first(ready: Bench) -> None:
    ready.run("judge", "test")
    assert ready.calls("python", "-P")[0][-2:] == ["judge", "test"]


def test_no_word_at_all_is_handed_on_too(ready: Bench) -> None:
    ready.run()
    assert ready.calls("python", "-P") == [["python", "-P", "-m", "companion"]]


@pytest.mark.parametrize("status", [0, 2, 130])
def test_the_status_of_the_companion_is_passed_on(ready: Bench, status: int) -> None:
    assert ready.run("read", COMPANION_STATUS=status).returncode == status


def test_only_the_companion_speaks_on_standard_output_even_while_installing(bench: Bench) -> None:
    bench.without("tesseract", "ensurepip")
    said = bench.run("read", "x.jpg")
    assert said.stdout == f"in {bench.folder}:\n"
    assert "apt-get talks" in said.stderr
    assert "pip talks" in said.stderr


def test_standard_input_is_left_to_the_companion_even_while_installing(bench: Bench) -> None:
    bench.without("tesseract")
    assert bench.run("referee", "-", given="a written game").stdout.endswith(":\na written game")


def test_the_companion_works_where_the_caller_stands(ready: Bench, tmp_path: Path) -> None:
    elsewhere = tmp_path / "holiday photos"
    elsewhere.mkdir()
    assert ready.run("read", "x.jpg", cwd=elsewhere).stdout == f"in {elsewhere}:\n"


def test_a_link_to_run_works_like_run(ready: Bench) -> None:
    (ready.home / "the link").symlink_to(ready.home / "run")
    assert ready.run("read", program="the link").returncode == 0
    assert installs(ready) == 0


# Installing once


def test_the_first_call_makes_an_environment_and_installs_the_project_there(bench: Bench) -> None:
    bench.run("read")
    assert venvs(bench) == [["python3", "-m", "venv", f"{bench.home}/.venv"]]
    packages, project = bench.calls("python", "-m", "pip", "install")
    assert packages[-3:] == ["--require-hashes", "-r", f"{bench.home}/.requirements/play.txt"]
    assert project[-4:] == ["--no-deps", "--no-build-isolation", "-e", str(bench.home)]


def test_the_second_call_installs_nothing_and_says_nothing(ready: Bench) -> None:
    said = ready.run("read")
    assert (installs(ready), said.stderr) == (0, "")


def test_with_everything_there_neither_root_nor_apt_nor_a_network_is_needed(ready: Bench) -> None:
    ready.without("apt-get", "sudo")
    assert ready.run("read", USER_ID=1000, PIP_STATUS=1).returncode == 0


@pytest.mark.parametrize("file", ["pyproject.toml", ".requirements/play.txt"])
def test_new_requirements_are_installed(ready: Bench, file: str) -> None:
    with (ready.home / file).open("a") as appended:
        appended.write("# another requirement\n")
    ready.run("read")
    assert (installs(ready), venvs(ready)) == (1, [])


def test_requirements_that_come_back_are_installed_again(bench: Bench) -> None:
    requirements = bench.home / "pyproject.toml"
    before = requirements.read_text()
    bench.run("test")
    requirements.write_text(f"{before}# another requirement\n")
    bench.run("read")
    requirements.write_text(before)
    bench.run("test")
    assert installs(bench) == 3


def test_a_checkout_that_was_moved_gets_a_new_environment(ready: Bench) -> None:
    ready.home = ready.home.rename(ready.folder / "moved here")
    assert ready.run("read").returncode == 0
    assert venvs(ready) == [["python3", "-m", "venv", f"{ready.folder}/moved here/.venv"]]


def test_another_python_is_noticed(ready: Bench) -> None:
    ready.version("python", "3.13")
    ready.run("read")
    assert installs(ready) == 1


def test_an_environment_made_by_hand_is_kept(bench: Bench) -> None:
    made = bench.home / ".venv" / "bin" / "python"
    made.parent.mkdir(parents=True)
    made.write_bytes((bench.bin / "python3").read_bytes())
    made.chmod(0o755)
    bench.run("read")
    assert (installs(bench), venvs(bench)) == (1, [])


def test_an_installation_that_was_killed_is_begun_anew(bench: Bench) -> None:
    bench.kill(bench.start("read", PIP_SECONDS="20"))
    (bench.home / ".venv" / "half a package").touch()
    bench.forget()
    assert bench.run("read").returncode == 0
    assert (installs(bench), len(venvs(bench))) == (1, 1)
    assert not (bench.home / ".venv" / "half a package").exists()


def test_an_environment_that_was_half_taken_away_is_made_anew(ready: Bench) -> None:
    (ready.home / ".venv" / "unfinished").touch()
    ready.run("read")
    assert (installs(ready), len(venvs(ready))) == (1, 1)


def test_an_installation_that_was_stopped_by_the_keyboard_is_begun_anew(bench: Bench) -> None:
    doing = bench.start("read", PIP_SECONDS="20")
    bench.kill(doing, signal.SIGINT)
    assert doing.returncode == 130
    bench.forget()
    bench.run("read")
    assert (installs(bench), len(venvs(bench))) == (1, 1)


def test_a_call_during_an_installation_waits_for_it(bench: Bench) -> None:
    first = bench.start("read", PIP_SECONDS="0.5")
    second = bench.run("read")
    assert "waiting for another installation" in second.stderr
    assert second.returncode == 0
    assert installs(bench) == 1
    first.communicate()
    assert first.returncode == 0


def test_where_pip_fails_the_message_says_what_to_do_and_the_next_call_tries_again(bench: Bench) -> None:
    failed = bench.run("read", PIP_STATUS=1)
    assert (failed.returncode, failed.stdout) == (3, "")
    assert "With a network, call it again" in failed.stderr
    assert bench.run("read").returncode == 0
    assert (installs(bench), len(venvs(bench))) == (2, 1)


def test_on_a_32_bit_system_the_image_to_take_is_named_and_nothing_is_installed(bench: Bench) -> None:
    bench.without("tesseract")
    said = bench.run("read", LONG_BIT=32)
    assert (said.returncode, said.stdout, bench.calls("apt-get"), installs(bench)) == (3, "", [], 0)
    assert "Raspberry Pi OS (64-bit)" in said.stderr


# Packages of Debian


def test_what_is_missing_is_installed_by_root(bench: Bench) -> None:
    bench.without("tesseract", "ensurepip")
    assert bench.run("read").returncode == 0
    update, install = bench.calls("apt-get")
    assert update[-1] == "update"
    assert install[-4:] == ["install", "--no-install-recommends", "tesseract-ocr", "python3-venv"]


def test_old_package_lists_are_better_than_none(bench: Bench) -> None:
    bench.without("tesseract")
    said = bench.run("read", UPDATE_STATUS=100)
    assert said.returncode == 0
    assert "trying with the old ones" in said.stderr


def test_where_apt_fails_the_message_says_what_to_install(bench: Bench) -> None:
    bench.without("tesseract")
    said = bench.run("read", INSTALL_STATUS=100)
    assert said.returncode == 3
    assert said.stderr.endswith(f"{ASK_BY_HAND}tesseract-ocr\n")


@pytest.mark.parametrize("lacking", ["sudo", "apt-get"])
def test_without_a_way_to_install_everything_missing_is_named_at_once(bench: Bench, lacking: str) -> None:
    bench.tool("sudo", SUDO)
    bench.without("tesseract", "ensurepip", lacking)
    said = bench.run("read", USER_ID=1000)
    assert (said.returncode, said.stdout) == (3, "")
    assert said.stderr.endswith(f"{ASK_BY_HAND}tesseract-ocr python3-venv\n")
    assert installs(bench) == 0


def test_sudo_is_used_where_it_asks_for_nothing(bench: Bench) -> None:
    bench.tool("sudo", SUDO)
    bench.without("tesseract")
    assert bench.run("read", USER_ID=1000).returncode == 0
    assert [call[:5] for call in bench.calls("sudo", "-n", "env")] == [
        ["sudo", "-n", "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
    ] * 2


def test_sudo_does_not_ask_for_a_password_where_nobody_can_answer(bench: Bench) -> None:
    bench.tool("sudo", SUDO)
    bench.without("tesseract")
    said = bench.run("read", USER_ID=1000, SUDO_ASKS=1)
    assert (said.returncode, bench.calls("apt-get")) == (3, [])
    assert f"{ASK_BY_HAND}tesseract-ocr" in said.stderr


def test_sudo_may_ask_for_a_password_at_a_terminal(bench: Bench) -> None:
    bench.tool("sudo", SUDO)
    bench.without("tesseract")
    ours, theirs = pty.openpty()
    bench.run("read", USER_ID=1000, SUDO_ASKS=1, terminal=theirs, PIP_STATUS=1)
    os.close(theirs)
    os.close(ours)
    assert len(bench.calls("sudo", "env")) == 2


def test_a_package_that_brings_no_command_is_not_taken_for_installed(bench: Bench) -> None:
    bench.without("tesseract")
    bench.tool("apt-get", RECORD)
    said = bench.run("read")
    assert said.returncode == 3
    assert said.stderr.endswith("not to be found: what tesseract-ocr brings\n")


# Python


def test_an_old_python_is_named_and_the_needed_one_too(bench: Bench) -> None:
    bench.version("python3", "3.09")
    said = bench.run("read")
    assert said.returncode == 3
    assert "Python 3.11 or newer is needed" in said.stderr
    assert f"{bench.bin}/python3 will not do" in said.stderr


def test_a_machine_without_python_is_told_how_to_get_it(bench: Bench) -> None:
    bench.without("python3")
    said = bench.run("read")
    assert said.returncode == 3
    assert "apt-get install python3 python3-venv" in said.stderr


def test_a_newer_python_beside_an_old_one_is_found(bench: Bench) -> None:
    bench.version("python3", "3.09")
    bench.python("python3.13", "3.13")
    assert bench.run("read").returncode == 0
    assert venvs(bench) == [["python3.13", "-m", "venv", f"{bench.home}/.venv"]]


def test_an_environment_in_use_is_not_what_a_new_one_is_made_from(ready: Bench) -> None:
    own = ready.home / ".venv" / "bin"
    (own / "python3").write_bytes((own / "python").read_bytes())
    (own / "python3").chmod(0o755)
    (own.parent / "unfinished").touch()
    assert ready.run("read", PATH=f"{own}:{ready.bin}").returncode == 0
    assert len(venvs(ready)) == 1


@pytest.mark.parametrize("module", ["picamera2", "lgpio"])
def test_on_a_pi_the_environment_sees_the_modules_for_camera_and_pins(bench: Bench, module: str) -> None:
    bench.module(module)
    bench.run("read")
    assert venvs(bench) == [["python3", "-m", "venv", "--system-site-packages", f"{bench.home}/.venv"]]
    assert bench.locked() == [["play", "pi"]]
