"""Bounds of many rows at once: all gaps, and all conditions of contacts."""
