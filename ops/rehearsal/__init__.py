"""What CloudWatch makes of an alarm: metric math, missing data and M of N, as AWS documents them.

A rehearsal replays series through an alarm as it stands in a template, without AWS. Only what our
templates use is known here; anything else raises `UnknownMathError` rather than be guessed.
"""

from ops.rehearsal.alarms import Alarm, State, any_fires, replay, rule_of
from ops.rehearsal.math import Series, UnknownMathError, evaluate, names_in

__all__ = [
    "Alarm",
    "Series",
    "State",
    "UnknownMathError",
    "any_fires",
    "evaluate",
    "names_in",
    "replay",
    "rule_of",
]
