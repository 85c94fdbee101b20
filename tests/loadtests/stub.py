"""A stand-in for a stage: a small leaderboard in memory, with faults to order.

Nothing lags here and every rank is exact. It takes a request only if it is signed with the local
key, and by a clock that agrees with its own.
"""

import json
import re
import sys
import threading
import time
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.unit.ops.api_stub import signature_matches, write_outputs

SKEW = timedelta(minutes=5)
BUCKET = 1_000


@dataclass
class Faults:
    """What the stub does wrong.

    Attributes:
        latency_seconds: what an answer about players takes.
        stall_seconds: what each rank and list takes, one after the other.
        ranks_off: added to every rank told of one player.
        lost: players stored and answered for, but counted nowhere.
        refused_after: requests after which every one is refused, as by expired credentials.
        clock: how far the stub's clock is ahead.
        late_season: results after a season's end are taken into it.
    """

    latency_seconds: float = 0.03
    stall_seconds: float = 0.0
    ranks_off: int = 0
    lost: int = 0
    refused_after: int | None = None
    clock: timedelta = timedelta()
    late_season: bool = False


@dataclass
class Board:
    """A board: its config, and the scores of each window."""

    config: dict[str, Any]
    windows: dict[str, dict[str, int]] = field(default_factory=dict)
    sorted: dict[str, list[int]] = field(default_factory=dict)


class RefusedError(Exception):
    """An answer of 400 or more."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(code)
        self.status, self.code = status, code


class Stage:
    """The boards, and the answers about them."""

    def __init__(self) -> None:
        self.boards: dict[str, Board] = {}
        self.deleted: list[str] = []
        self.made: list[str] = []
        self.faults = Faults()
        self.requests = 0
        self.lock = threading.Lock()
        self.one_at_a_time = threading.Lock()

    def now(self) -> datetime:
        return datetime.now(UTC) + self.faults.clock

    def put(self, board: str, config: Any) -> tuple[int, Any]:
        self.boards[board] = Board(config or {})
        self.made.append(board)
        return 201, {"board": board}

    def delete(self, board: str) -> tuple[int, Any]:
        if self.boards.pop(board, None):
            self.deleted.append(board)
        return 204, None

    def of(self, board: str) -> Board:
        if board not in self.boards:
            raise RefusedError(404, "board_not_found")
        return self.boards[board]

    def submit(self, board: str, body: Any) -> dict[str, Any]:
        found, player, score = self.of(board), body["player_id"], body["score"]
        with self.lock:
            windows = {name: self._store(found, name, player, score) for name in self._open(found)}
        first = next(iter(windows.values()))
        return {"player_id": player, "rank": None, **first, "windows": windows}

    def _open(self, board: Board) -> list[str]:
        names = []
        for one in board.config.get("windows", ["all"]):
            if one == "all":
                names.append("all")
            elif self.faults.late_season or self.now().timestamp() * 1000 < one["end"]:
                names.append(f"s:{one['season']}")
        return names

    def _store(self, board: Board, window: str, player: str, score: int) -> dict[str, Any]:
        scores = board.windows.setdefault(window, {})
        before = scores.get(player)
        sign = -1 if board.config.get("order", "desc") == "desc" else 1
        if before is not None and sign * before <= sign * score:
            return {"score": before, "outcome": "kept"}
        scores[player] = score
        board.sorted.pop(window, None)
        return {"score": score, "outcome": "new" if before is None else "improved"}

    def rank(self, board: str, player: str, query: dict[str, str]) -> dict[str, Any]:
        found, window = self._window(board, query)
        scores = found.windows.get(window, {})
        if player not in scores:
            return {"player_id": player, "kind": "unranked", "score": None, "rank": None}
        sign = -1 if found.config.get("order", "desc") == "desc" else 1
        ordered = self._sorted(found, window, sign)
        rank = 1 + bisect_left(ordered, sign * scores[player]) + self.faults.ranks_off
        answer = {
            "player_id": player,
            "score": scores[player],
            "kind": "exact",
            "basis": "index",
            "rank": rank,
            "rank_range": [rank, rank],
            "population": len(scores),
        }
        if query.get("explain") == "true":
            answer["explain"] = {"read_units": 1.5}
        return answer

    def top(self, board: str, query: dict[str, str]) -> dict[str, Any]:
        entries = self._listed(board, query)[: int(query.get("limit", 100))]
        return {"entries": entries, "next_cursor": None, "population": len(entries)}

    def around(self, board: str, player: str, query: dict[str, str]) -> dict[str, Any]:
        listed, k = self._listed(board, query), int(query.get("k", 5))
        at = next(place for place, one in enumerate(listed) if one["player_id"] == player)
        first = max(0, min(at - k, len(listed) - 2 * k - 1))
        return {**self.rank(board, player, query), "entries": listed[first : first + 2 * k + 1]}

    def friends(self, board: str, body: Any) -> dict[str, Any]:
        asked = {body["player_id"], *body["friend_ids"]}
        listed = [one for one in self._listed(board, {}) if one["player_id"] in asked]
        ranked = [{**one, "rank": place} for place, one in enumerate(listed, start=1)]
        unranked = sorted(asked - {one["player_id"] for one in ranked})
        return {"entries": ranked, "unranked": unranked}

    def distribution(self, board: str, query: dict[str, str]) -> dict[str, Any]:
        found, window = self._window(board, query)
        counts: dict[int, int] = {}
        scores = sorted(found.windows.get(window, {}).values())
        for score in scores[self.faults.lost :]:
            counts[score // BUCKET] = counts.get(score // BUCKET, 0) + 1
        buckets = [
            {"low": one * BUCKET, "high": (one + 1) * BUCKET - 1, "count": count}
            for one, count in counts.items()
        ]
        return {"population": sum(counts.values()), "buckets": buckets}

    def info(self, board: str) -> dict[str, Any]:
        states = []
        for one in self.of(board).config.get("windows", ["all"]):
            season = isinstance(one, dict)
            over = season and self.now().timestamp() * 1000 >= one["end"]
            name = f"s:{one['season']}" if season else one
            states.append({"window": name, "state": "final" if over else "open"})
        return {"board": board, "windows": states}

    def _window(self, board: str, query: dict[str, str]) -> tuple[Board, str]:
        found = self.of(board)
        first = found.config.get("windows", ["all"])[0]
        return found, query.get("window") or (first if first == "all" else f"s:{first['season']}")

    def _sorted(self, board: Board, window: str, sign: int) -> list[int]:
        with self.lock:
            if window not in board.sorted:
                board.sorted[window] = sorted(sign * one for one in board.windows[window].values())
            return board.sorted[window]

    def _listed(self, board: str, query: dict[str, str]) -> list[dict[str, Any]]:
        found, window = self._window(board, query)
        sign = -1 if found.config.get("order", "desc") == "desc" else 1
        with self.lock:
            scores = sorted(found.windows[window].items(), key=lambda one: (sign * one[1], one[0]))
        return [
            {"player_id": player, "score": score, "rank": place + self.faults.ranks_off}
            for place, (player, score) in enumerate(scores, start=1)
        ]


_PATH = re.compile(
    r"/api/(?P<admin>admin/)?leaderboards(/(?P<board>[^/]+))?"
    r"(/players/(?P<player>[^/]+))?(/(?P<what>[a-z]+(/batch)?))?"
)


def answer_to(stage: Stage, method: str, target: str, body: Any) -> tuple[int, Any]:
    """Route one request."""
    parts = urlsplit(target)
    query = dict(parse_qsl(parts.query))
    found = _PATH.fullmatch(parts.path)
    if not found:
        raise RefusedError(404, "route_not_found")
    board, player, what = found["board"], unquote(found["player"] or ""), found["what"]
    if found["admin"]:
        if board is None:
            return 200, {"boards": [{"board": one} for one in stage.boards]}
        return stage.put(board, body) if method == "PUT" else stage.delete(board)
    time.sleep(stage.faults.latency_seconds)
    if stage.faults.stall_seconds and what in ("rank", "top", "around", "friends"):
        with stage.one_at_a_time:
            time.sleep(stage.faults.stall_seconds)
    routes: dict[str | None, Callable[[], Any]] = {
        "scores": lambda: stage.submit(board, body),
        "scores/batch": lambda: {
            "results": [{"status": 200, **stage.submit(board, one)} for one in body["scores"]]
        },
        "rank": lambda: stage.rank(board, player, query),
        "top": lambda: stage.top(board, query),
        "around": lambda: stage.around(board, player, query),
        "friends": lambda: stage.friends(board, body),
        "distribution": lambda: stage.distribution(board, query),
        None: lambda: stage.info(board),
    }
    return 200, routes[what]()


class StubServer(ThreadingHTTPServer):
    """Serves a stage on a free port of loopback."""

    daemon_threads = True
    request_queue_size = 512

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.stage = Stage()

    def outputs(self) -> dict[str, Any]:
        tables = ("Scores", "Counters", "Boards", "Submissions")
        names = {f"{one}TableName": one for one in tables}
        return {"Stub": {"ApiUrl": f"http://127.0.0.1:{self.server_port}", **names}}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: StubServer

    def serve(self) -> None:
        stage = self.server.stage
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        stage.requests += 1
        if not self._is_accepted(raw):
            return self._answer(403, {"message": "Forbidden"})
        try:
            body = json.loads(raw) if raw else None
            status, answer = answer_to(stage, self.command, self.path, body)
        except RefusedError as refusal:
            title = {"title": refusal.code, "code": refusal.code, "status": refusal.status}
            return self._answer(refusal.status, title)
        return self._answer(status, answer)

    do_GET = do_PUT = do_POST = do_DELETE = serve  # noqa: N815 - the server looks these up

    def _is_accepted(self, raw: bytes) -> bool:
        stage = self.server.stage
        after = stage.faults.refused_after
        # What is left behind may always be removed.
        if after is not None and stage.requests > after and self.command != "DELETE":
            return False
        headers = dict(self.headers.items())
        signed = datetime.strptime(headers["X-Amz-Date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        if abs(signed - stage.now()) > SKEW:
            return False
        return signature_matches(self.command, f"http://{headers['Host']}{self.path}", headers, raw)

    def _answer(self, status: int, answer: Any) -> None:
        data = b"" if answer is None else json.dumps(answer).encode()
        self.send_response_only(status)
        self.send_header("Date", format_datetime(self.server.stage.now(), usegmt=True))
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - inherited
        """Keep the output clean."""


def main(home: Path) -> None:
    """Serve in a process of its own until killed; its outputs file tells that it is there."""
    server = StubServer()
    write_outputs(home, server.outputs(), "rig")
    server.serve_forever()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
