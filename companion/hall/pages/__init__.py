"""The hall's pages: the wall of tables, standings, rounds, players, the big screen, the director's desk."""
