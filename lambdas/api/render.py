"""Answers, from what the logic found to what the models show."""

from dataclasses import asdict
from typing import Any, Final

from lambdas.domain.boards import Board, Layout
from lambdas.domain.cells import Span, split_path
from lambdas.domain.entries import Entry
from lambdas.domain.ranking import Standing, approximate_rank, percentile_range
from lambdas.domain.schedules import Season
from lambdas.domain.submissions import Outcome, Submission
from lambdas.domain.windows import WindowKind
from lambdas.logic.around import Around
from lambdas.logic.distribution import Distribution
from lambdas.logic.friends import Friends
from lambdas.logic.rank import Ranked
from lambdas.logic.ranks import RanksOfScores
from lambdas.logic.standing import AtRank
from lambdas.logic.submit import Submitted, WindowResult
from lambdas.logic.top import Top
from lambdas.logic.views import View
from lambdas.logic.window_infos import WindowInfo
from lambdas.store.meter import Meter

_RESHAPED: Final = ("tie_breakers", "schedule")  # what answers show in another form


def rank_answer(ranked: Ranked) -> dict[str, Any]:
    """A rank answer without its explanation."""
    entry = ranked.entry
    return {
        "player_id": ranked.player,
        "window": ranked.window,
        "score": entry.score if entry else None,
        **(_tie_breakers(ranked.view.board, entry) if entry else {}),
        **_standing(ranked.standing),
    }


def _standing(standing: Standing) -> dict[str, Any]:
    return {
        "kind": standing.kind,
        "basis": standing.basis,
        "rank": standing.first if standing.kind == "exact" else None,
        "rank_range": (standing.first, standing.last) if standing.first is not None else None,
        "approximate_rank": approximate_rank(standing),
        "percentile_range": percentile_range(standing),
        "population": standing.population,
        "as_of": standing.as_of,
    }


def explain(view: View, path: str, meter: Meter) -> dict[str, Any]:
    """How an answer was found and what it consumed, score items included.

    Args:
        path: the cell path walked; empty where none was, or several.
    """
    nodes = view.nodes.seen.values()
    return {
        "path": split_path(path),
        "nodes_read": len(nodes),
        "entries_counted": view.index.passed,
        "read_units": meter.read_units,
        "cached": view.pages.cached or view.counts.cached or any(one.cached for one in nodes),
        "stale": any(node.stale for node in nodes),
    }


def submit_answer(submission: Submission, submitted: Submitted) -> dict[str, Any]:
    """What a submission did, the first window's result on top."""
    windows = {window: _window_answer(one) for window, one in submitted.windows.items()}
    first = next(iter(windows.values()))
    return {
        "player_id": submission.player_id,
        "score": first.get("score"),
        "outcome": Outcome.DUPLICATE if submitted.is_duplicate else first["outcome"],
        "rank": first.get("rank"),
        "windows": windows,
    }


def _window_answer(result: WindowResult) -> dict[str, Any]:
    if result.score is None:
        return {"outcome": result.outcome}
    ranked = rank_answer(result.ranked) if result.ranked else {}
    return {**ranked, "score": result.score, "outcome": result.outcome}


def top_answer(top: Top) -> dict[str, Any]:
    """A page of a list."""
    return {
        "entries": _ranked_entries(top.view.board, top.entries, top.ranks),
        "next_cursor": top.next_cursor,
        "population": top.population,
        "as_of": top.as_of,
    }


def around_answer(found: Around) -> dict[str, Any]:
    """A player's rank and neighbours."""
    entries = [
        {"rank": rank, "offset": place - found.place, **_entry(found.ranked.view.board, entry)}
        for place, (rank, entry) in enumerate(zip(found.ranks, found.entries, strict=True))
    ]
    return {**rank_answer(found.ranked), "entries": entries}


def friends_answer(found: Friends) -> dict[str, Any]:
    """Players ranked among themselves."""
    return {
        "window": found.window,
        "entries": _ranked_entries(found.board, found.entries, found.ranks),
        "unranked": found.unranked,
    }


def ranks_answer(scores: list[int], found: RanksOfScores) -> dict[str, Any]:
    """The ranks of scores, in the order they were asked for."""
    results = [{"score": score, **_standing(found.standings[score])} for score in scores]
    return {"window": found.view.window, "ranks": results}


def standing_answer(found: AtRank) -> dict[str, Any]:
    """What stands at a rank."""
    return {
        "window": found.view.window,
        "rank": found.rank,
        "kind": found.kind,
        "basis": found.basis,
        "score": _one_score(found.scores),
        "score_range": found.scores,
        "holders": found.holders,
        "player_id": found.player,
        "population": found.population,
        "as_of": found.as_of,
    }


def distribution_answer(found: Distribution) -> dict[str, Any]:
    """A window's players by score."""
    return {
        "window": found.view.window,
        "population": found.population,
        "as_of": found.as_of,
        "buckets": [
            {"low": scores.low, "high": scores.high, "count": count}
            for scores, count in found.buckets
        ],
        "quantiles": [
            {
                "percentile": one.percentile,
                "rank": one.rank,
                "score": _one_score(one.scores),
                "score_range": one.scores,
            }
            for one in found.quantiles
        ],
    }


def _one_score(scores: Span | None) -> int | None:
    return scores.low if scores and scores.width == 1 else None


def _ranked_entries(board: Board, entries: list[Entry], ranks: list[int]) -> list[dict[str, Any]]:
    return [
        {"rank": rank, **_entry(board, entry)} for rank, entry in zip(ranks, entries, strict=True)
    ]


def _entry(board: Board, entry: Entry) -> dict[str, Any]:
    return {
        "player_id": entry.player,
        "score": entry.score,
        **_tie_breakers(board, entry),
        "achieved_at": entry.achieved_at,
    }


def _tie_breakers(board: Board, entry: Entry) -> dict[str, Any]:
    """The columns by name, for a board that has any."""
    columns = [column.name for column in board.config.tie_breakers]
    values = dict(zip(columns, entry.tie_breakers, strict=True))
    return {"tie_breakers": values} if values else {}


def board_answer(board: Board) -> dict[str, Any]:
    """A board's config and layouts."""
    config = board.config
    plain = (name for name in config.__dataclass_fields__ if name not in _RESHAPED)
    return {
        "board": board.id,
        "version": board.version,
        **{name: getattr(config, name) for name in plain},
        "tie_breakers": [asdict(one) for one in config.tie_breakers],
        "windows": [_window_config(one) for one in config.schedule.windows],
        "time_zone": config.schedule.time_zone,
        "retention_days": config.schedule.retention_days,
        "grace_seconds": config.schedule.grace_seconds,
        "layout": _layout_answer(board.written_layout),
        "layouts": [_layout_answer(layout) for layout in board.layouts],
    }


def _window_config(one: WindowKind | Season) -> str | dict[str, Any]:
    if isinstance(one, Season):
        return {"season": one.name, "start": one.start_ms, "end": one.end_ms}
    return one


def board_info_answer(board: Board, windows: list[WindowInfo]) -> dict[str, Any]:
    """What players may know of a board; a window's population by its root."""
    config, schedule = board.config, board.config.schedule
    shown = ("policy", "order", "score_range", "ties", "dimensions", "display_name", "description")
    return {
        "board": board.id,
        **{name: getattr(config, name) for name in shown},
        "tie_breakers": [asdict(one) for one in config.tie_breakers],
        "time_zone": schedule.time_zone,
        "windows": [
            {
                "window": one.window.name,
                "state": one.state,
                "start": one.window.start_ms,
                "end": one.window.end_ms,
                "population": sum(one.root.counts.values()) if one.root else None,
                "as_of": one.root.as_of if one.root else None,
            }
            for one in windows
        ],
    }


def _layout_answer(layout: Layout) -> dict[str, Any]:
    return {name: getattr(layout, name) for name in layout.__dataclass_fields__}
