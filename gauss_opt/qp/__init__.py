"""The least-constraint problem (G) and its certified answer. Knows nothing of mechanics."""
