"""Setting up: drawn pictures, training of the reader, sheets, lens, zones."""
