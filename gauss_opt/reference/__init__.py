"""Closed forms and oracles to check the solvers against. Share no algebra with them."""
