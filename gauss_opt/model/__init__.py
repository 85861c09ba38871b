"""What the user writes, and its numbers at a state. Knows nothing of optimisation."""
