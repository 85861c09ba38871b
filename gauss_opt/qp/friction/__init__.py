"""Contacts with Coulomb friction: the problem (C), its certificate, and the ways to its answer."""
