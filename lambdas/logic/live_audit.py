"""The audit of live windows: a little at a time, within a budget of read units.

It goes through the cells of every window that takes results, in a fixed order, holding each
counter against the index and each node against its parent. What differs is looked at again in the
same run, and then by the next one, minutes later; what has repeated unchanged till then is drift.
A cell with more players than a run should count is looked at child by child.

A stream that is minutes behind looks like drift on a quiet board; its own alarm tells the two
apart. A cell that never rests cannot be told to drift: it is audited when its window has closed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from lambdas.domain.boards import Board
from lambdas.domain.cells import CODE_LENGTH
from lambdas.domain.counting import NodeKey
from lambdas.domain.locate import is_leaf
from lambdas.domain.patrols import Kind, Patrol, Sighting, Spot
from lambdas.logic.tables import Tables
from lambdas.logic.views import View, view_of
from lambdas.store.segments import Segments

BUDGET_UNITS: Final = 2_000  # read units a run; one request more may come on top
CELL_UNITS: Final = 250  # what counting one cell may take before its children are looked at instead
ENTRIES_PER_UNIT: Final = 50  # entries of ids of 36 bytes, eventually consistent
UNCOUNTED: Final = 1_000  # entries beyond its counter after which a cell is counted no further
MAX_SIGHTINGS: Final = 100  # kept from one run to the next
PAUSE_SECONDS: Final = 5.0  # counters follow writes within a second or two


@dataclass
class Patrolled:
    """What one run came to.

    Attributes:
        drift: cells that are counted wrongly for certain.
        cells: cells held against the index.
        skipped: cells that hold more than a whole run may count.
        units: read units consumed.
        patrol: what the next run goes on from.
        is_pass: whether the run came to the end of the last window.
    """

    drift: list[Sighting] = field(default_factory=list)
    cells: int = 0
    skipped: int = 0
    units: float = 0.0
    patrol: Patrol = field(default_factory=Patrol)
    is_pass: bool = False


class LiveAudit:
    """One run over boards.

    Args:
        boards: every live board.
        sleep: waits some seconds between two looks at one difference.
        has_time: whether the run may go on.
    """

    def __init__(
        self,
        tables: Tables,
        segments: Segments,
        boards: list[Board],
        *,
        sleep: Callable[[float], None],
        has_time: Callable[[], bool] = lambda: True,
        budget_units: float = BUDGET_UNITS,
    ) -> None:
        self._tables = tables
        self._segments = segments
        self._live = dict[str, frozenset[str]]()
        self._boards = {board.id: board for board in sorted(boards, key=lambda one: one.id)}
        self._sleep = sleep
        self._has_time = has_time
        self._budget = budget_units
        self._begun_at = tables.meter.read_units
        self._run = Patrolled()
        self._is_cut_short = False

    def run(self, patrol: Patrol) -> Patrolled:
        """Looks at the last run's sightings again, then goes on from where that stopped.

        Running from the same patrol again only looks again.

        Cost: `BUDGET_UNITS` read units, and at most one request of 128 more.

        Raises:
            ThrottledError, UnavailableError: try again; an audit changes nothing.
        """
        drift, unseen = self._look_again(patrol.sightings)
        if drift:
            self._sleep(PAUSE_SECONDS)
            drift, unseen_twice = self._look_again(drift)
            unseen += unseen_twice
        kept = [*drift, *unseen]
        after = patrol.after
        for after, seen in self._patrol_on(patrol.after):  # noqa: B007 - the last one is kept
            kept += [one for one in seen if one not in kept]
        self._run.drift = drift
        self._run.is_pass = not self._is_cut_short
        self._run.patrol = Patrol(
            after if self._is_cut_short else None, tuple(kept[:MAX_SIGHTINGS])
        )
        self._run.units = self._spent
        return self._run

    @property
    def _spent(self) -> float:
        return self._tables.meter.read_units - self._begun_at

    def _has_room(self, units: float = 0.0) -> bool:
        """Whether the run may go on; once it may not, it is over."""
        self._is_cut_short |= self._spent + units >= self._budget or not self._has_time()
        return not self._is_cut_short

    def _look_again(self, sightings: Iterable[Sighting]) -> tuple[list[Sighting], list[Sighting]]:
        """Those that repeat unchanged, and those that there is no budget to look at.

        Half the budget at most goes here, so that no difference keeps the patrol from going on.
        """
        repeating, unseen = list[Sighting](), list[Sighting]()
        for one in sightings:
            if self._spent >= self._budget / 2 or not self._has_time():
                unseen.append(one)
            elif self._repeats(one):
                repeating.append(one)
        return repeating, unseen

    def _repeats(self, sighting: Sighting) -> bool:
        spot = sighting.spot
        view = self._view(*spot[:3])
        if view is None:
            return False
        if self._counted(view, spot.path) != sighting.counted:
            return False  # it moved: whatever differed was on its way
        return self._found(view, sighting.kind, spot.path, sighting.counted) == sighting.found

    def _patrol_on(self, after: Spot | None) -> Iterator[tuple[Spot, list[Sighting]]]:
        for place in self._places():
            if after and place < after[:3]:
                continue
            view = self._view(*place)
            if view is not None and self._has_room():
                done = after.path if after and place == after[:3] else ""
                yield from self._look_below(view, "", done)

    def _places(self) -> list[tuple[str, str, int]]:
        return sorted(
            (board.id, window, layout.number)
            for board in self._boards.values()
            for window in self._live_windows(board)
            for layout in board.layouts
        )

    def _view(self, board: str, window: str, layout: int) -> View | None:
        """A window under a layout, if that is live yet."""
        found = self._boards.get(board)
        its_layout = found.layout(layout) if found else None
        if found is None or its_layout is None or its_layout.state == "retired":
            return None
        if window not in self._live_windows(found):
            return None
        return view_of(self._tables, found, window, its_layout)

    def _live_windows(self, board: Board) -> frozenset[str]:
        """The windows that take results, and their segments; others are audited when they close."""
        if board.id not in self._live:
            now_ms, schedule = self._tables.now_ms, board.schedule
            live = [
                window.name
                for window in schedule.recent(now_ms)
                if schedule.state(window, now_ms) in ("open", "closing")
            ]
            self._live[board.id] = frozenset((*live, *self._segments.windows(board, live)))
        return self._live[board.id]

    def _look_below(
        self, view: View, path: str, done: str, *, is_in_index: bool = False
    ) -> Iterator[tuple[Spot, list[Sighting]]]:
        """The cells below a path, children first, from behind the one that was looked at last.

        Args:
            is_in_index: whether a cell above was held against the index: then only nodes are left.
        """
        counts = self._counts(view, path)
        cells = {code for code, _ in view.cells.children(path)}
        for code in sorted(counts.keys() if is_in_index else cells | counts.keys()):
            child, counted = path + code, counts.get(code, 0)
            is_begun = child != done and done.startswith(child)
            if child <= done and not is_begun:
                continue
            is_node = code in cells and counted != 0 and not is_leaf(view.cells, child)
            is_held = not is_in_index and not (is_node and _units(view, counted) > CELL_UNITS)
            if is_node:
                yield from self._look_below(view, child, done, is_in_index=is_in_index or is_held)
            is_counted = is_held and not self._is_too_large(view, counted)
            if not self._has_room(_units(view, counted) if is_counted else 0):
                return
            self._run.cells += is_counted
            self._run.skipped += is_held and not is_counted
            kinds: tuple[tuple[Kind, bool], ...] = (("index", is_counted), ("node", is_node))
            yield (
                self._spot(view, child),
                self._sightings(view, child, counted, [kind for kind, is_due in kinds if is_due]),
            )

    def _is_too_large(self, view: View, counted: int) -> bool:
        return _units(view, counted) > self._budget / 2

    def _sightings(self, view: View, path: str, counted: int, kinds: list[Kind]) -> list[Sighting]:
        return [one for kind in kinds if (one := self._sighting(view, kind, path, counted))]

    def _sighting(self, view: View, kind: Kind, path: str, counted: int) -> Sighting | None:
        if self._found(view, kind, path, counted) == counted:
            return None
        counted = self._counted(view, path)  # anew: what was read before is seconds old by now
        found = self._found(view, kind, path, counted)
        return Sighting(self._spot(view, path), kind, counted, found) if found != counted else None

    def _found(self, view: View, kind: Kind, path: str, counted: int) -> int:
        if kind == "node":
            return sum(self._counts(view, path).values())
        if path[-CODE_LENGTH:] not in dict(view.cells.children(path[:-CODE_LENGTH])):
            return 0  # no score leads there
        return view.count_cell_up_to(path, max(counted, 0) + UNCOUNTED)

    def _counted(self, view: View, path: str) -> int:
        return self._counts(view, path[:-CODE_LENGTH]).get(path[-CODE_LENGTH:], 0)

    def _counts(self, view: View, path: str) -> Mapping[str, int]:
        node = NodeKey(view.board.id, view.window, view.layout.number, path)
        return self._tables.counters.sums(node)

    def _spot(self, view: View, path: str) -> Spot:
        return Spot(view.board.id, view.window, view.layout.number, path)


def _units(view: View, entries: int) -> float:
    """What counting a cell takes, about: a query an index shard, and what it reads."""
    return view.layout.index_shards / 2 + entries / ENTRIES_PER_UNIT
