"""Derivatives of a traced system beyond those that the motion itself needs."""
