"""Bounds that hold everywhere in a box: interval arithmetic on traced graphs."""
