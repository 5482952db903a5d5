"""How right the trained reader reads: figures of pictures whose truth is known, photographed or drawn."""
