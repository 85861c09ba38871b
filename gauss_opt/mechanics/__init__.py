"""Mechanics as instances of (G): accelerations, impacts, consistent states."""
