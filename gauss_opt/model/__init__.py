"""What the user writes, and what it is at a state. Knows no optimisation."""
