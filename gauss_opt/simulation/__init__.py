"""From a system and a start to a Result: options, limits, checkpoints, phases."""
