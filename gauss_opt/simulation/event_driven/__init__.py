"""Smooth segments with a frozen active set, strung by events that are located."""
