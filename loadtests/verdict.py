"""How a run ends: one word for people, one exit code for scripts."""

from typing import Final, Literal

Word = Literal[
    "objectives met",
    "objective missed",
    "wrong usage",
    "nothing deployed or running",
    "load not reached",
    "client at fault",
    "not finished",
]

EXIT_CODES: Final[dict[Word, int]] = {
    "objectives met": 0,
    "objective missed": 1,
    "wrong usage": 2,
    "nothing deployed or running": 3,
    "load not reached": 4,
    "client at fault": 5,
    "not finished": 6,
}


def word_for(
    *, fault: bool, finished: bool, reached: bool, missed: bool, missed_always: bool
) -> Word:
    """The word for a run.

    A client at fault measured nothing. What no load excuses, such as a wrong answer, is missed
    however far the run came. Where the load was not there, nothing else is judged.
    """
    if fault:
        return "client at fault"
    if missed_always:
        return "objective missed"
    if not reached:
        return "load not reached"
    if not finished:
        return "not finished"
    return "objective missed" if missed else "objectives met"
