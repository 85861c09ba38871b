"""Contact between shapes: which features can touch, with gap, normal, slip and place of each."""
