"""Simulated tables: drawn tiles, mock pins and bots in place of players."""
