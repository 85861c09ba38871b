"""How the smooth motion and an impact change with the state, the time and the parameters."""
