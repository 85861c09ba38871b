"""Kinds of random models for the soak, and a judge of them that shares nothing with the package."""
