"""Forces between bodies: springs, dampers, motors, applied forces, compliant contact."""
