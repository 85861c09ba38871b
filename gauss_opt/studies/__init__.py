"""Many runs: cases beside their references, validation, sweeps."""
