"""The table's companion for Bananagrams-style word games."""
