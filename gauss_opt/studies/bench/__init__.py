"""A bench for solvers: the same problems for each of them, judged by our certificate."""
