"""The pages on people's phones: they read the log, and send calls, rulings and orders to the table."""
