"""Who may do what: PINs, tokens, sessions, roles, and how often somebody may try."""
