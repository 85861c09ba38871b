"""What a simulation leaves behind: rows, events, dense output, energies, files."""
