"""Access control: PINs, tokens, sessions, roles, and limits on login attempts."""
