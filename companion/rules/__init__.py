"""The games: one interface, one file a game, all of it pure."""
