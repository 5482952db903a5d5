"""The TOML configuration of a table: game, seats, cameras, buttons and lights."""
