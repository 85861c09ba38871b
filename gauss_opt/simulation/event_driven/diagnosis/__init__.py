"""What keeps a run from getting on, in words: nothing here changes a number."""
