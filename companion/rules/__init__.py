"""The games: one interface and one file for each game, all of it pure."""
