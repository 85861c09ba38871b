"""What grows in the course of a run, and what is made of it only when somebody looks."""
