"""The game and the table as last seen, and the streams that keep pages up to date."""
