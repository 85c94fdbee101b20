"""The rig's schedule: again and again, whatever a call does, until it is stopped."""

from threading import Event

from ops.rig.schedule import Schedule


def test_it_calls_again_after_a_failure_and_stops() -> None:
    """A call that raises is one call; none comes after the end."""
    calls: list[int] = []
    third = Event()

    def call() -> None:
        calls.append(len(calls))
        if len(calls) == 3:
            third.set()
        if len(calls) == 1:
            raise RuntimeError("once")

    with Schedule(0.001, call):
        assert third.wait(timeout=10)
    done = len(calls)
    assert done >= 3
    assert not Event().wait(0.01)
    assert len(calls) == done
