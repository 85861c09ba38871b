"""Motions with impacts as dynamical systems: sections, monodromy, orbits, branches, exponents."""
