"""Coulomb friction in mechanics: accelerations, impacts, and all routes to them."""
