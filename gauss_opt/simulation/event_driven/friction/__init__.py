"""Coulomb friction in a run: contacts that stick or slide, and where and how that changes."""
