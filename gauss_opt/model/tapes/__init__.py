"""Traced functions as lists of operations in arrays, which a compiled engine can interpret."""
