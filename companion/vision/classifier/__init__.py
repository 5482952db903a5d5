"""The symbol on each detected tile: classes, crops, and how probable each class is."""
