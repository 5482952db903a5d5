"""What a host writes in one TOML file: the game, the seats, the cameras, the buttons and lights."""
