"""Updates of the Debian package: find, install, and roll back if the table does not start."""
