"""From probabilities to symbols: jointly, within the set's counts and by the lexicon."""
