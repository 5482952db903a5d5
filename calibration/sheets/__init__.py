"""Sheets to print at home: markers, the lens board, seat cards, the tile mat, the button legend."""
