"""Results drawn on pictures, told in words and written as JSON."""
