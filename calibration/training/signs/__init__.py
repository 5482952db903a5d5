"""Few-shot training of the sign network: ``tasks`` draws its tasks, ``embedding`` is network and training."""
