"""What is computed from a finished run: finer rows, drift, routes, zero sets."""
