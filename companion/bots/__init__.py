"""Players that know the games: they build from real tiles, move them by hand, call, and err now and then."""
