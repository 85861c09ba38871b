"""Results in files: what of them is where, how it is read, and what is refused."""
