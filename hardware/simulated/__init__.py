"""A simulated tabletop, its camera and its pins, for demos and tests without a Pi; it knows no game."""
