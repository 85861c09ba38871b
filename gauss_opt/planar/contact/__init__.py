"""Contact between shapes: gaps, normals, points of contact, and which pairs can touch."""
