"""MQTT topics and payloads, described for other programs in ``asyncapi.json``."""
