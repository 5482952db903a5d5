"""Word lists and the word judge."""
