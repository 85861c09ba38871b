"""For all tests: random examples have no time limit, which a busy machine would break."""

from hypothesis import settings

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
