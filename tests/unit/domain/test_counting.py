"""Counting: small cases of what a batch becomes, node by node."""

from lambdas.domain.counting import Change, NodeKey, NodeStep, NodeUpdate, Place, beyond, fold
from lambdas.domain.counting import group_by_node as group

OLD = Place("arena", "all", 1, "0a0b")
NEW = Place("arena", "all", 1, "0a0c")


def node(path: str, layout: int = 1) -> NodeKey:
    """A node of the board that these tests count."""
    return NodeKey("arena", "all", layout, path)


def test_a_new_entry_is_counted_at_every_level() -> None:
    """+1 in each node of the path, the root's path being empty."""
    assert group([Change(5, 70, None, NEW)]) == {
        node(""): [NodeStep(5, 70, (("0a", 1),))],
        node("0a"): [NodeStep(5, 70, (("0c", 1),))],
    }


def test_a_removed_entry_is_taken_off_at_every_level() -> None:
    """-1 in each node of the path."""
    assert group([Change(5, 70, OLD, None)]) == {
        node(""): [NodeStep(5, 70, (("0a", -1),))],
        node("0a"): [NodeStep(5, 70, (("0b", -1),))],
    }


def test_a_node_whose_deltas_cancel_is_kept() -> None:
    """It changes no count, but its mark must pass the record and its child must be found."""
    steps = group([Change(5, 70, OLD, NEW)])
    assert steps[node("")] == [NodeStep(5, 70, (("0a", -1), ("0a", 1)))]
    assert fold(steps[node("")]) == NodeUpdate(first=5, last=5, as_of=70, deltas={"0a": 0})
    assert fold(steps[node("0a")]).deltas == {"0b": -1, "0c": 1}


def test_a_move_between_layouts_touches_both_roots() -> None:
    """Every layout has nodes of its own."""
    steps = group([Change(5, 70, OLD, OLD._replace(layout=2, cell="1z"))])
    assert {key: fold(some).deltas for key, some in steps.items()} == {
        node(""): {"0a": -1},
        node("0a"): {"0b": -1},
        node("", layout=2): {"1z": 1},
    }


def test_a_record_delivered_twice_in_one_batch_is_taken_once() -> None:
    """A record is known by its sequence number."""
    change = Change(5, 70, None, NEW)
    other = Change(6, 71, None, OLD)
    assert group([change, other, change]) == group([change, other])
    assert len(group([change, other])[node("")]) == 2


def test_no_records_touch_nothing() -> None:
    """A window's final call may bring none."""
    assert group([]) == {}
    assert group([Change(5, 70, None, None)]) == {}


def test_an_update_spans_its_steps_whatever_their_order() -> None:
    """First and last are of the sequence numbers, the time is that of the newest record."""
    steps = [NodeStep(9, 50, (("00", 1),)), NodeStep(4, 80, (("00", 1),)), NodeStep(6, 60, ())]
    assert fold(steps) == NodeUpdate(first=4, last=9, as_of=80, deltas={"00": 2})


def test_a_mark_passes_its_own_record() -> None:
    """What has the mark's own number was counted."""
    steps = [NodeStep(number, 0, ()) for number in (6, 4, 5)]
    assert [step.sequence for step in beyond(steps, 4)] == [6, 5]
    assert beyond(steps, 6) == []
