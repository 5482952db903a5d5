"""Names of the MQTT topics; version 1 of the contract.

A table's id is also its account at the broker, so that the access list can name it (``%u``).
"""

from __future__ import annotations

import re
from enum import StrEnum

from companion.errors import BadMessage

CONTRACT_VERSION = 1
"""Version of topics and payloads; both carry it."""

TOPIC_ROOT = f"tableau/v{CONTRACT_VERSION}"

TABLE_ID = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
"""A table's id: small letters, digits and hyphens, 1 to 40 characters."""


class Channel(StrEnum):
    """The last part of a table's topic."""

    EVENTS = "events"
    SUMMARY = "summary"
    HEALTH = "health"
    REPLAY = "replay"
    ORDERS = "orders"


PUBLISHED = (Channel.EVENTS, Channel.SUMMARY, Channel.HEALTH)
"""What a table publishes."""

SUBSCRIBED = (Channel.REPLAY, Channel.ORDERS)
"""What a table subscribes to."""


def checked_id(given: str) -> str:
    """Return a table's id; raise BadMessage where it is invalid."""
    if not TABLE_ID.fullmatch(given):
        raise BadMessage(
            f"a table's id has 1 to 40 small letters, digits and hyphens inside; got {given[:60]!r}"
        )
    return given


def topic(table: str, channel: Channel) -> str:
    """Return the topic of one of a table's channels."""
    return f"{TOPIC_ROOT}/tables/{checked_id(table)}/{channel.value}"


def parse_topic(name: str) -> tuple[str, Channel]:
    """Return the table and the channel of a topic; raise BadMessage for any other topic."""
    prefix, _, rest = name.partition("/tables/")
    table, _, channel = rest.partition("/")
    if prefix != TOPIC_ROOT or channel not in list(Channel):
        raise BadMessage(f"no topic of a table: {name[:80]!r}")
    return checked_id(table), Channel(channel)


def every_table(channel: Channel) -> str:
    """Return the topic filter for one channel of all tables."""
    return f"{TOPIC_ROOT}/tables/+/{channel.value}"


def answers(hall: str, table: str) -> str:
    """Return the topic on which a table answers a hall."""
    return f"{TOPIC_ROOT}/halls/{checked_id(hall)}/answers/{checked_id(table)}"


def every_answer(hall: str) -> str:
    """Return the topic filter for the answers of all tables to a hall."""
    return f"{TOPIC_ROOT}/halls/{checked_id(hall)}/answers/+"


def parse_answer_topic(name: str) -> str:
    """Return the table that answers on a topic; raise BadMessage for any other topic."""
    match = re.fullmatch(re.escape(TOPIC_ROOT) + r"/halls/[a-z0-9-]{1,40}/answers/([a-z0-9-]{1,40})", name)
    if match is None:
        raise BadMessage(f"no topic of answers: {name[:80]!r}")
    return checked_id(match[1])
