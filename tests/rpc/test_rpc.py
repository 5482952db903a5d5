"""Pages ask the table over the line, and hear its answers and its faults as it told them."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.errors import BadCall, BadConfig, Unanswered
from companion.model.phrases import encode_text, phrase
from companion.model.status import Answer, PictureKind, TileSets
from companion.rpc import TableClient, TableService, WizardService, serve
from companion.rpc.operations import operations
from companion.rpc.wire import MAX_LINE_BYTES
from companion.table.request_handler import TableRequestHandler
from companion.wizard import Wizard
from tests.rpc.simple_desk import CHECKUP, STATUS, SimpleDesk


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "run" / "line"


@pytest.fixture
def desk(place: Path) -> Iterator[SimpleDesk]:
    desk = SimpleDesk()
    with serve(place, desk):
        yield desk


def said(place: Path, sent: bytes) -> dict[str, str]:
    """Return what the table answers to raw bytes."""
    with socket.socket(socket.AF_UNIX) as raw:
        raw.settimeout(5)
        raw.connect(str(place))
        raw.sendall(sent)
        raw.shutdown(socket.SHUT_WR)
        with raw.makefile("rb") as file:
            found: dict[str, str] = json.loads(file.readline())
    return found


@pytest.mark.parametrize(
    "sent",
    [
        b'{"ask": {}}',
        b'{"ask": ["status"]}',
        b'{"ask": "\\ud800"}',
        b'{"ask": "order", "order": "\\ud800"}',
        b'{"ask": "ruling", "ruling": "undo", "reason": "\\udfff"}',
        b'{"ask": "call", "seat": 1, "call": "roll", "details": {"\\ud800": 1}}',
        b'{"ask": "call", "seat": 1, "call": "roll", "details": {"dice": ' + b"[" * 400 + b"]" * 400 + b"}}",
        b'{"ask": "call", "seat": 1, "call": "roll", "details": {"dice": 1e999}}',
        b'{"ask": "call", "seat": 1, "call": "roll", "details": {"dice": NaN}}',
        b'{"ask": "call", "seat": 1, "call": "roll", "details": {"dice": 1' + b"0" * 30 + b"}}",
        b'{"ask": "call", "seat": 1' + b"0" * 5000 + b', "call": "roll"}',
        b"[" * 100_000,
    ],
)
def test_what_no_question_means_never_reaches_the_table_and_it_goes_on(
    desk: SimpleDesk, place: Path, sent: bytes
) -> None:
    assert said(place, sent + b"\n")["error"]
    assert desk.asked == []
    assert TableClient(place).status() == STATUS


def test_bad_arguments_are_refused_while_the_next_game_is_waited_for(place: Path) -> None:
    with serve(place, None):
        assert "width" in said(place, b'{"ask": "picture", "width": "wide"}\n')["error"]


def test_what_is_asked_reaches_the_table_as_it_was_asked(desk: SimpleDesk, place: Path) -> None:
    line = TableClient(place)
    assert line.order("start") == Answer(True, "started", 2)
    assert line.call(2, "roll", {"dice": [1, 4]}) == Answer(None, "waits")
    assert line.ruling("rule_word", "slang", None, {"word": "ain", "valid": False}) == Answer(False, "no")
    line.settle(1, (2, 3), "Ä", "A")
    line.lights_test(4)
    line.set_up("chew", ["Anna", "Bo"], {"cap_s": 60})
    line.set_up("chew", ["Anna", "Bo"], words="mine", tiles="kitchen")
    assert desk.asked == [
        ("order", "start"),
        ("call", 2, "roll", {"dice": [1, 4]}, "phone"),
        ("ruling", "rule_word", "slang", None, {"word": "ain", "valid": False}),
        ("settle", 1, (2, 3), "Ä", "A"),
        ("lights_test", 4),
        ("set_up", "chew", ("Anna", "Bo"), {"cap_s": 60}, "default", ""),
        ("set_up", "chew", ("Anna", "Bo"), {}, "mine", "kitchen"),
    ]


def test_an_order_is_waited_for_while_the_table_checks_itself(
    desk: SimpleDesk, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(order: str) -> Answer:
        time.sleep(0.3)
        return Answer(order == "start", "checked")

    monkeypatch.setattr(desk, "order", slow)
    line = TableClient(place, timeout_s=0.1)
    assert line.order("start") == Answer(True, "checked")


@pytest.mark.usefixtures("desk")
def test_the_tiles_of_a_game_are_told_as_the_table_knows_them(place: Path) -> None:
    assert TableClient(place).tile_sets("chew") == TileSets("chew's", ("a", "b"), ("mine",))


def test_the_status_arrives_as_it_was_told(desk: SimpleDesk, place: Path) -> None:
    assert TableClient(place).status() == STATUS
    assert desk.asked == []


def test_what_a_checkup_found_arrives_as_it_was_told(desk: SimpleDesk, place: Path) -> None:
    found = TableClient(place).checkup()
    assert found == CHECKUP
    assert [line.grave for line in found.lines] == [False, True]
    assert desk.asked == []


def test_a_backup_reaches_the_table_byte_by_byte(desk: SimpleDesk, place: Path) -> None:
    backup = bytes(range(256)) * 5000
    assert TableClient(place).restore(backup, keep=False) == Answer(True, "all of it")
    assert desk.asked == [("restore", backup, False)]


def test_bytes_that_no_question_asks_for_are_refused(desk: SimpleDesk, place: Path) -> None:
    assert "status: nothing comes as bytes" in said(place, b'{"ask": "status", "bytes": 3}\nabc')["error"]
    assert "backup comes as bytes" in said(place, b'{"ask": "restore"}\n')["error"]
    assert "no key 'backup'" in said(place, b'{"ask": "restore", "backup": "text"}\n')["error"]
    assert desk.asked == []


def test_a_picture_arrives_byte_by_byte(desk: SimpleDesk, place: Path) -> None:
    assert TableClient(place).picture(PictureKind.READ, 640) == b"\xff\xd8" + bytes(range(256)) * 1000
    assert desk.asked == [("picture", PictureKind.READ, 640, 0)]


@pytest.mark.usefixtures("desk")
def test_a_fault_that_the_table_tells_is_heard_in_its_words(place: Path) -> None:
    with pytest.raises(Unanswered, match="no order 'dance'; did you mean 'start'"):
        TableClient(place).order("dance")


@pytest.mark.usefixtures("desk")
def test_a_table_that_fails_at_a_question_goes_on_answering(place: Path) -> None:
    with pytest.raises(Unanswered, match="its own record says why"):
        TableClient(place).evidence(3)
    assert TableClient(place).status() == STATUS


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        (b"hello\n", "no JSON"),
        (b"[1]\n", "must be a JSON object"),
        (b'{"ask": "ordr"}\n', "did you mean 'order'?"),
        (b'{"ask": "order"}\n', "order: order: this key is needed"),
        (b'{"ask": "call", "seat": "1", "call": "peel"}\n', "call: seat: must be a whole number"),
        (b'{"ask": "picture", "width": 1000000}\n', "width: must be 16 to 8192"),
        (b'{"ask": "status", "bytes": -1}\n', "'bytes' must be"),
        (b'{"ask": "status", "bytes": 9}\nabc', "ended after 3"),
        (b'{"ask"', "cut short"),
        (b"x" * (MAX_LINE_BYTES + 5), "longer than"),
    ],
)
@pytest.mark.usefixtures("desk")
def test_what_no_page_would_send_is_answered_with_what_is_wrong(sent: bytes, says: str, place: Path) -> None:
    assert says in said(place, sent)["error"]


def test_a_table_that_is_not_there_is_said_so(place: Path) -> None:
    with pytest.raises(Unanswered, match="no table answers"):
        TableClient(place).status()


@pytest.mark.usefixtures("desk")
def test_two_tables_never_share_a_line(place: Path) -> None:
    with pytest.raises(Unanswered, match="another table answers"), serve(place, SimpleDesk()):
        pass


def test_a_socket_left_behind_by_a_power_cut_is_taken_over(place: Path) -> None:
    place.parent.mkdir()
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(place))
    with serve(place, SimpleDesk()):
        assert TableClient(place).status() == STATUS
    assert not place.exists()


def test_a_file_in_the_way_is_not_taken_away(place: Path) -> None:
    place.parent.mkdir()
    place.write_text("mine")
    with pytest.raises(Unanswered, match="is no line"), serve(place, SimpleDesk()):
        pass
    assert place.read_text() == "mine"


@pytest.mark.usefixtures("desk")
def test_many_pages_are_answered_at_once(place: Path) -> None:
    answers: list[int] = []
    asking = [
        threading.Thread(target=lambda: answers.append(TableClient(place).status().number)) for _ in range(40)
    ]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert answers == [7] * 40


@pytest.mark.usefixtures("desk")
def test_only_the_tables_own_user_and_group_may_ask(place: Path) -> None:
    assert place.stat().st_mode & 0o777 == 0o660


OUT = phrase("%(name)s is out of this round", name="Ada")
TOLD = {"id": "%(name)s is out of this round", "values": {"name": "Ada"}}


class Refusing(SimpleDesk):
    """Refuses with a message, once as an answer and once as an error."""

    def order(self, order: str) -> Answer:
        if order == "dance":
            raise BadCall(OUT)
        return Answer(False, OUT)


def test_a_message_arrives_with_its_id_and_values(place: Path) -> None:
    with serve(place, Refusing()):
        assert encode_text(TableClient(place).order("start").text) == TOLD


def test_an_error_arrives_with_its_id_and_values(place: Path) -> None:
    with serve(place, Refusing()), pytest.raises(Unanswered) as told:
        TableClient(place).order("dance")
    assert encode_text(str(told.value)) == TOLD


def test_an_answer_whose_message_is_none_is_refused() -> None:
    told = {"accepted": False, "text": {"id": "%(name)s", "values": {}}, "number": None}
    with pytest.raises(BadConfig, match="text: a message lacks its value 'name'"):
        operations(TableService)["order"].decode_answer(told, b"")


@pytest.mark.parametrize(
    ("service", "implementation"), [(TableService, TableRequestHandler), (WizardService, Wizard)]
)
def test_every_operation_of_a_service_is_carried_out(service: type, implementation: type) -> None:
    lacking = [
        name for name in operations(service) if getattr(implementation, name) is getattr(service, name)
    ]
    assert lacking == []
