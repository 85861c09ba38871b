"""Many runs: cases beside their references, sweeps, orbits and stability."""
