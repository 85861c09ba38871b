"""Pictures, animations and reports of a Result. They only read it."""
