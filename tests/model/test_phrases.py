"""Messages: English sentences that keep their ids and values."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest

from companion.model.phrases import (
    MAX_MESSAGE_CHARS,
    MAX_MESSAGE_VALUES,
    MAX_NESTING_DEPTH,
    Message,
    decode_text,
    encode_text,
    joined,
    phrase,
    phrase_n,
)

WON = phrase("%(name)s has not won", name="Ada")


def test_a_message_is_a_text_in_english() -> None:
    assert WON == "Ada has not won"
    assert json.dumps([WON]) == '["Ada has not won"]'


def test_a_message_keeps_its_id_and_values() -> None:
    assert (WON.id, dict(WON.values)) == ("%(name)s has not won", {"name": "Ada"})


@pytest.mark.parametrize(("count", "text"), [(0, "0 tiles"), (1, "1 tile"), (2, "2 tiles")])
def test_a_count_chooses_the_form(count: int, text: str) -> None:
    assert phrase_n("%(count)s tile", "%(count)s tiles", count) == text


def test_a_percent_sign_is_doubled_only_beside_values() -> None:
    assert phrase("100 %") == "100 %"
    assert phrase("%(share)s %%", share=7) == "7 %"


def test_several_messages_are_one_with_the_joint_between_them() -> None:
    both = joined([WON, phrase("time is up")], "; ")
    assert (both, both.values["2"]) == ("Ada has not won; time is up", "time is up")
    assert isinstance(both.values["2"], Message)


def test_the_joint_may_have_a_percent_sign() -> None:
    assert joined(["a", "b"], " % ") == "a % b"


def test_an_error_tells_its_message_whole() -> None:
    assert isinstance(str(ValueError(WON)), Message)


def test_a_message_survives_a_copy() -> None:
    for again in (copy.deepcopy(WON), pickle.loads(pickle.dumps(WON))):  # noqa: S301
        assert (again, again.id, again.values) == (WON, WON.id, WON.values)


def test_a_message_cannot_be_changed() -> None:
    with pytest.raises(AttributeError, match="cannot be changed"):
        WON.id = "other"


@pytest.mark.parametrize(
    "message",
    [WON, joined([WON, "plain"], ", "), phrase("%(few)s!", few=phrase_n("%(count)s tile", "%(count)s", 3))],
)
def test_a_message_comes_back_whole_from_json(message: Message) -> None:
    back = decode_text(json.loads(json.dumps(encode_text(message))))
    assert (back, encode_text(back)) == (message, encode_text(message))


def nested(depth: int) -> Any:
    return {"id": "%(a)s", "values": {"a": nested(depth - 1)}} if depth else "end"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (7, "must be a text or a message"),
        ({"id": "a"}, "must be a text or a message"),
        ({"id": 1, "values": {}}, "sentences are texts"),
        ({"id": "a", "values": []}, "values at most"),
        ({"id": "a", "values": {"a": 1.5}}, "must be a text or a message"),
        ({"id": "%(a)s %(b)s", "values": {"a": 1}}, "lacks its value 'b'"),
        ({"id": "a", "values": {}, "many": "b"}, "needs its count"),
        ({"id": "a", "values": {str(one): 1 for one in range(MAX_MESSAGE_VALUES + 1)}}, "values at most"),
        ({"id": "%(a)s" * 3, "values": {"a": "x" * (MAX_MESSAGE_CHARS // 2)}}, "characters at most"),
        (nested(MAX_NESTING_DEPTH + 1), f"nested {MAX_NESTING_DEPTH} deep"),
    ],
)
def test_what_is_no_message_is_refused(given: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        decode_text(given)


def test_a_width_in_a_sentence_from_outside_means_nothing() -> None:
    assert decode_text({"id": "%(a)99999999s", "values": {"a": "x"}}) == "%(a)99999999s"
