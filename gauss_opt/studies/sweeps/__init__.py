"""Parameter studies: one measurement at each of many points, on as many machines as there are."""
