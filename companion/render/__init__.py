"""Results drawn on pictures, and written as text and JSON."""
