"""What ends a smooth segment: gaps that close, limits, contacts that let go, user events."""
