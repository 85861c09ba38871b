"""Joints: what holds bodies together, drives them, or lets them go one way only."""
