"""Enrolment: photographs of laid tiles in, a tile set that the reader can learn out."""
