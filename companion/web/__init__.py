"""The pages on everybody's phone: they read the log, and send what people want to the table."""
