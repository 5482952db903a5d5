"""Where everything is put together: the only unit that names concrete devices."""
