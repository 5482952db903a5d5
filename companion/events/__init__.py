"""The record of every game: what is kept, how it is kept, and what can be read out of it."""
