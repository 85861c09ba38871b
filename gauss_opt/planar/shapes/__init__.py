"""Shapes of bodies: outline, area, centre, inertia, and the points on them that have names."""
