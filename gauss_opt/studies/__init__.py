"""Runs beside their references: cases and validation."""
