"""Home Assistant MQTT discovery: a device for each table, with sensors for its summary.

Topic and keys are those of Home Assistant's MQTT discovery (``<prefix>/<component>/<node>/<object>/config``);
the node is the table's id alone, so that a broker's access list can name it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from companion.hall.contract.topics import Channel, topic

DISCOVERY_PREFIX = "homeassistant"

SENSORS = {
    "phase": ("Phase", "mdi:table-furniture", "{{ value_json.phase | default('idle') }}"),
    "round": ("Round", "mdi:counter", "{{ value_json.round | default(0) }}"),
    "doubts": ("Tiles in doubt", "mdi:help-rhombus", "{{ value_json.doubts | default(0) }}"),
    "leader": (
        "Leader",
        "mdi:podium-gold",
        (
            "{{ (value_json.seats | default([]) | sort(attribute='total') | map(attribute='name') | list)"
            "[-1:] | join }}"
        ),
    ),
}
"""Name, icon and value template of each sensor, by key."""


def discovery(table: str, name: str) -> Iterator[tuple[str, bytes]]:
    """Yield topic and payload of each retained message that announces a table."""
    device = {"identifiers": [f"tableau_{table}"], "name": name, "model": "tableau companion"}
    online = {
        "topic": topic(table, Channel.HEALTH),
        "value_template": "{{ 'online' if value_json.online else 'offline' }}",
    }
    for key, (title, icon, value) in SENSORS.items():
        body = {
            "name": title,
            "unique_id": f"tableau_{table}_{key}",
            "state_topic": topic(table, Channel.SUMMARY),
            "value_template": value,
            "icon": icon,
            "availability": [online],
            "device": device,
        }
        yield f"{DISCOVERY_PREFIX}/sensor/{table}/{key}/config", json.dumps(body).encode()
