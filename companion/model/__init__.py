"""Values that the whole product speaks in; nothing here does anything."""
