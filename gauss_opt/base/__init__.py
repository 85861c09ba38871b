"""What everything else stands on: errors, arrays, matrices, files."""
