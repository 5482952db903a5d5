"""Many tables, one tournament: tables publish over MQTT 5, the hall follows them, pairs and ranks players."""
