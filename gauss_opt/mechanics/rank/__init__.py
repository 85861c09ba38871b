"""The rank of constraint rows: at a state, and on the constraint surface near it."""
