"""How things are said: choices among names, and tables that a notebook shows."""
