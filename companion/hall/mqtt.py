"""A self-reconnecting connection to an MQTT 5 broker: subscriptions, last will, TLS, requests and answers."""

from __future__ import annotations

import logging
import os
import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paho.mqtt.client import Client, ConnectFlags, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from companion.errors import NoBroker
from companion.hall.contract.messages import MAX_PAYLOAD_BYTES

QOS = 1
"""MQTT's "at least once"; receivers drop repeated events by their numbers."""

KEEPALIVE_S = 15
"""Seconds after which a silent connection counts as lost, and the broker sends the last will."""

MIN_RECONNECT_DELAY_S, MAX_RECONNECT_DELAY_S = 1, 15
"""Least and greatest delay in seconds between two attempts to reach a lost broker."""

PROBE_TIMEOUT_S = 2.0
"""Timeout in seconds of the probe that finds out why a broker cannot be reached."""

MAX_INFLIGHT_MESSAGES = 20
"""Most messages that may wait for the broker's acknowledgement at once."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Broker:
    """A broker's address and our account; ``authority`` is the certificate file of the CA that signs its key.

    Without ``authority`` nothing is encrypted: use that only for a broker on this machine.
    """

    host: str
    port: int
    user: str = ""
    password: str = ""
    authority: Path | None = None

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Received:
    """A message; ``reply_to`` and ``correlation`` are those of an MQTT 5 request."""

    topic: str
    payload: bytes
    reply_to: str = ""
    correlation: bytes = b""


@dataclass(frozen=True, slots=True)
class LastWill:
    """A retained message that the broker publishes when the connection is lost."""

    topic: str
    payload: bytes


@dataclass(slots=True)
class MessageFailures:
    """Messages lost to unexpected errors: their count, and topic and error of the last one."""

    count: int = 0
    topic: str = ""
    fault: str = ""

    def note(self, topic: str, error: Exception) -> None:
        """Note a message that was lost."""
        self.count += 1
        self.topic, self.fault = topic, repr(error)


class MqttConnection:
    """A connection in a thread of its own; ``publish`` does not block.

    Parameters
    ----------
    broker
        The broker's address and our account.
    name
        The client's name at the broker; a second client of that name takes its place.
    topics
        The topic filters to subscribe to after each connection.
    heard
        Called in the connection's thread with every message.
    will
        The message that the broker publishes when this connection is lost.

    ``up`` is set while the broker accepts us; ``fault`` says why it does not; ``failures`` are messages whose
    handling failed; ``changes`` counts changes of all three.
    """

    def __init__(
        self,
        broker: Broker,
        name: str,
        topics: Sequence[str],
        on_message: Callable[[Received], None],
        will: LastWill | None = None,
    ) -> None:
        self.broker, self.topics, self.on_message = broker, tuple(topics), on_message
        self.up, self.fault = threading.Event(), ""
        self.connections = self.changes = 0
        self.failures = MessageFailures()
        self.acknowledged: Callable[[int, bool], None] = lambda _id, _accepted: None
        self.client = Client(CallbackAPIVersion.VERSION2, name, protocol=MQTTProtocolVersion.MQTTv5)
        self.client.reconnect_delay_set(MIN_RECONNECT_DELAY_S, MAX_RECONNECT_DELAY_S)
        self.client.max_inflight_messages_set(MAX_INFLIGHT_MESSAGES)
        if broker.user:
            self.client.username_pw_set(broker.user, broker.password)
        if broker.authority is not None:
            self.client.tls_set_context(tls_context(broker.authority))
        if will is not None:
            self.client.will_set(will.topic, will.payload, QOS, retain=True)
        self.spare_descriptor = ReservedDescriptor()
        self.client.on_pre_connect = lambda _client, _given: self.spare_descriptor.free()
        self.client.on_connect = self._connected
        self.client.on_disconnect = self._disconnected
        self.client.on_connect_fail = self._unreachable
        self.client.on_message = self._message
        self.client.on_publish = self._published

    def start(self) -> None:
        """Connect, and connect again whenever the connection is lost; the broker may start later."""
        most = properties_of(PacketTypes.CONNECT)
        most.MaximumPacketSize = MAX_PAYLOAD_BYTES + 2000
        self.client.connect_async(self.broker.host, self.broker.port, KEEPALIVE_S, properties=most)
        self.client.loop_start()

    def close(self) -> None:
        """Disconnect cleanly, so that the broker sends no last will, and stop."""
        self.up.clear()
        self.client.disconnect()
        self.client.loop_stop()
        self.spare_descriptor.free()

    def publish(
        self, topic: str, payload: bytes, *, retain: bool = False, properties: Properties | None = None
    ) -> int:
        """Send a message; return its id, with which ``acknowledged`` is called."""
        return self.client.publish(topic, payload, QOS, retain, properties).mid

    def request(self, topic: str, payload: bytes, reply_to: str, correlation: bytes) -> None:
        """Send an MQTT 5 request; the answer comes as a message on ``reply_to``."""
        properties = properties_of(PacketTypes.PUBLISH)
        properties.ResponseTopic, properties.CorrelationData = reply_to, correlation
        self.publish(topic, payload, properties=properties)

    def answer(self, received: Received, payload: bytes) -> int:
        """Answer an MQTT 5 request; return the message's id."""
        properties = properties_of(PacketTypes.PUBLISH)
        if received.correlation:
            properties.CorrelationData = received.correlation
        return self.publish(received.reply_to, payload, properties=properties)

    def wait(self, timeout_s: float) -> None:
        """Wait until the broker has accepted us; raise NoBroker where it has not in time."""
        if not self.up.wait(timeout_s):
            raise NoBroker(f"no MQTT broker at {self.broker}: {self.fault or 'it does not answer'}")

    def _connected(
        self, client: Client, _given: Any, _flags: ConnectFlags, code: ReasonCode, _more: Properties | None
    ) -> None:
        if code.is_failure:
            self._failed(f"it refuses the account {self.broker.user!r}: {code}")
            return
        self.connections, self.fault = self.connections + 1, ""
        if self.topics:
            client.subscribe([(name, QOS) for name in self.topics])
        self.up.set()
        self.changes += 1
        logger.info("connected to the broker %s", self.broker)

    def _disconnected(self, _client: Client, _given: Any, _flags: Any, code: ReasonCode, _more: Any) -> None:
        self.spare_descriptor.take()
        if self.up.is_set():
            self.up.clear()
            self._failed(f"the connection was lost: {code}")

    def _unreachable(self, _client: Client, _given: Any) -> None:
        self._failed(failure_reason(self.broker))

    def _failed(self, why: str) -> None:
        if why != self.fault:
            logger.warning("the broker %s: %s; what it lacks is sent when it is back", self.broker, why)
        self.fault = why
        self.changes += 1

    def _message(self, _client: Client, _given: Any, message: MQTTMessage) -> None:
        more = message.properties
        reply_to, correlation = getattr(more, "ResponseTopic", ""), getattr(more, "CorrelationData", b"")
        try:
            self.on_message(Received(message.topic, bytes(message.payload), reply_to, correlation))
        except Exception as error:
            logger.exception("a message on %s was lost", message.topic)
            self.failures.note(message.topic, error)
            self.changes += 1

    def _published(self, _client: Client, _given: Any, number: int, code: ReasonCode, _more: Any) -> None:
        if code.is_failure:
            self._failed(f"it refuses what is published: {code}")
        self.acknowledged(number, not code.is_failure)


class ReservedDescriptor:
    """A low file descriptor reserved for the connection's socket while it is down.

    paho waits with ``select``, which takes no descriptor from 1024 on; a hall with many phones has those.
    """

    def __init__(self) -> None:
        self.number = -1
        self.take()

    def take(self) -> None:
        """Reserve the lowest free descriptor."""
        if self.number < 0:
            self.number = os.open(os.devnull, os.O_RDONLY)

    def free(self) -> None:
        """Release the descriptor for the next socket."""
        if self.number >= 0:
            os.close(self.number)
            self.number = -1


def failure_reason(broker: Broker) -> str:
    """Return why a broker cannot be reached, determined by one more connection."""
    try:
        with socket.create_connection((broker.host, broker.port), PROBE_TIMEOUT_S) as plain:
            if broker.authority is not None:
                with tls_context(broker.authority).wrap_socket(plain, server_hostname=broker.host):
                    pass
    except ssl.SSLCertVerificationError as error:
        return f"its certificate is not to be trusted: {error.verify_message}"
    except OSError as error:
        return f"nobody answers there: {error.strerror or error}"
    return "it ends the connection at once"


def tls_context(authority: Path) -> ssl.SSLContext:
    """Return a TLS context that trusts one authority; raise NoBroker where the file is no certificate."""
    try:
        context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH, cafile=str(authority))
    except (OSError, ssl.SSLError) as error:
        raise NoBroker(f"{authority}: no certificate of an authority can be read there: {error}") from error
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def properties_of(packet: int) -> Properties:
    """Return empty properties of a packet."""
    return Properties(packet)
