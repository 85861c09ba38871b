"""States on the constraints: assembled from a guess, or put back onto them."""
