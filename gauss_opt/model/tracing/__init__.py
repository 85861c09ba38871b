"""From plain numpy functions to exact derivatives."""
