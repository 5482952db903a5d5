"""Languages of the pages: translations, and events of a game as sentences."""
