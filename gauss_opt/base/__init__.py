"""What everything else is built on: errors, arrays, matrices, files, tolerances, plug-ins."""
