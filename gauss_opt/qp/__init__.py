"""The least-constraint problem (G) and its certified answer. Knows no mechanics."""
