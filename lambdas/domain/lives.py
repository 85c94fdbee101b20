"""Lives of a board: made, deleted, made again, and what a life leaves behind.

Functions know a config for a while after it changed. So a deleted board stays as a tombstone; it
can be made again once nobody can write for the former life any more, and its sweep is at its end
only after the last function that may still count for it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from lambdas.domain.boards import Board, BoardConfig, Layout, LayoutSpec, Past, Tenure
from lambdas.domain.calendars import Era
from lambdas.domain.errors import BoardDeletedLatelyError
from lambdas.domain.schedules import Season
from lambdas.domain.segments import Segment
from lambdas.domain.windows import window_at

CONFIG_LIFETIME_SECONDS: Final = 10  # the design's config_lifetime: each step of a move waits it
LONGEST_CALL_SECONDS: Final = 60  # of an HTTP function in any stage: the local emulator's
LONGEST_BATCH_SECONDS: Final = 120  # of the count function
FIRST_LAYOUT: Final = 1  # 0 says "no layout" where a record notes the one it replaced
# From when on nobody acts on a config that was changed or deleted at 0.
LAPSE_MS: Final = (CONFIG_LIFETIME_SECONDS + LONGEST_CALL_SECONDS) * 1_000
_SETTLE_MS: Final = (CONFIG_LIFETIME_SECONDS + LONGEST_BATCH_SECONDS) * 1_000


@dataclass(frozen=True)
class Tombstone:
    """A deleted board.

    Attributes:
        board: as it last stood; its version went on with the deletion.
        deleted_at: ms since 1970.
        next_layout: the number that the first layout of its next life will get.
        is_swept: whether nothing of it is left in the tables.
    """

    board: Board
    deleted_at: int
    next_layout: int
    is_swept: bool


@dataclass(frozen=True)
class Remains:
    """What may be left of a board's former lives: where to look, and what to leave alone.

    Attributes:
        first_layout: items under this layout or a later one are of a life that stands.
        begins_at: when every cached config of the former lives has lapsed, ms since 1970.
        settled_at: from when on nobody adds to them, ms since 1970.
    """

    board: str
    tenures: tuple[Tenure, ...]
    layouts: tuple[Layout, ...]
    first_layout: int
    begins_at: int
    settled_at: int

    def windows(self, segments: Sequence[Segment] = ()) -> list[str]:
        """The names of all windows that the former lives can have fed, segments last."""
        windows = _names(self.tenures)
        parts = [segment.name_in(window) for segment in segments for window in windows]
        return windows + parts


def id_of(stored: Board | Tombstone) -> str:
    """A board's id, whether it stands or is deleted."""
    return stored.id if isinstance(stored, Board) else stored.board.id


def first_life(board: str, config: BoardConfig, spec: LayoutSpec, now_ms: int) -> Board:
    """A board that is made for the first time."""
    return Board(board, config, FIRST_LAYOUT, (_layout(spec, FIRST_LAYOUT),), made_at=now_ms)


def next_life(grave: Tombstone, config: BoardConfig, spec: LayoutSpec, now_ms: int) -> Board:
    """A deleted board made again: empty, whatever is still in the tables.

    Raises:
        BoardDeletedLatelyError: a function may still write for the former life.
    """
    left_ms = grave.deleted_at + LAPSE_MS - now_ms
    if left_ms > 0:
        raise BoardDeletedLatelyError(grave.board.id, -(-left_ms // 1_000))
    remains = remains_of(grave)
    return Board(
        id=grave.board.id,
        config=config,
        first_layout=grave.next_layout,
        layouts=(_layout(spec, grave.next_layout),),
        version=grave.board.version + 1,
        made_at=now_ms,
        past=Past(remains.tenures, remains.layouts) if remains else Past(),
    )


def remains_of(stored: Board | Tombstone) -> Remains | None:
    """What a sweep has to look through; None if nothing of a former life is left."""
    if isinstance(stored, Board):
        past = stored.past
        if not past.layouts:
            return None
        return _remains(stored.id, past.tenures, past.layouts, stored.first_layout)
    if stored.is_swept:
        return None
    board = stored.board
    tenures = (*board.past.tenures, *_tenures(board, stored.deleted_at))
    layouts = (*board.past.layouts, *board.layouts)
    return _remains(board.id, tenures, layouts, stored.next_layout)


def windows_fed(stored: Board | Tombstone, now_ms: int) -> list[str]:
    """The names of all windows that may hold items of a board, by now or by any call under way.

    Those that its former lives fed are among them until they are swept. The list grows by some
    500 names a year for a board of days, weeks and months, whatever its retention.
    """
    if isinstance(stored, Board):
        return _names((*stored.past.tenures, *_tenures(stored, now_ms)))
    remains = remains_of(stored)
    return remains.windows() if remains else []


def _tenures(board: Board, until_ms: int) -> Iterator[Tenure]:
    """The schedules of one life, each with the time it was in force."""
    eras = board.eras or (Era(board.made_at, board.config.schedule),)
    ends = (*(era.since_ms for era in eras[1:]), until_ms)
    for era, end_ms in zip(eras, ends, strict=True):
        yield Tenure(era.schedule, max(board.made_at, era.since_ms), end_ms)


def _remains(
    board: str, tenures: tuple[Tenure, ...], layouts: tuple[Layout, ...], first_layout: int
) -> Remains:
    deleted_at = max(one.until_ms for one in tenures)
    begins_at = deleted_at + CONFIG_LIFETIME_SECONDS * 1_000
    settled_at = deleted_at + _SETTLE_MS
    return Remains(board, tenures, layouts, first_layout, begins_at, settled_at)


def _layout(spec: LayoutSpec, number: int) -> Layout:
    return Layout(**asdict(spec), number=number)


def _names(tenures: Iterable[Tenure]) -> list[str]:
    return list(dict.fromkeys(name for one in tenures for name in _windows(one)))


def _windows(tenure: Tenure) -> Iterator[str]:
    """Every window from the one before a tenure's first to the one that its last call may feed."""
    schedule, last_ms = tenure.schedule, tenure.until_ms + LAPSE_MS
    for one in schedule.windows:
        if isinstance(one, Season):
            yield one.window.name
            continue
        window = window_at(one, schedule.time_zone, tenure.since_ms)
        # A result achieved in the window just over may have gone there, in its grace period.
        window = window_at(one, schedule.time_zone, window.start_ms - 1)
        yield window.name
        while window.end_ms is not None and window.end_ms <= last_ms:
            window = window_at(one, schedule.time_zone, window.end_ms)
            yield window.name
