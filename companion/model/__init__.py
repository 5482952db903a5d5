"""Values that all packages share, without side effects."""
