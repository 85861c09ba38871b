"""Cross-checks: the same acceleration by every available route, side by side."""

from .comparison import Crosscheck, Route, verdict_on
from .routes import compare_routes, crosscheck

__all__ = ["Crosscheck", "Route", "compare_routes", "crosscheck", "verdict_on"]
