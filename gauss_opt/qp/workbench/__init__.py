"""For research on solvers: families of problems, other forms of them, and answers as they come."""
