"""What goes over the broker: topics and payloads, described for others in ``asyncapi.json``."""
