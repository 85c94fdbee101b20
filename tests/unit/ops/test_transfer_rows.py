"""Reading files of entries: what is taken, what is refused and why, in bounded memory."""

import io
import json
import tracemalloc
from typing import Any

import pytest

from lambdas.domain.boards import Board, BoardConfig, Layout, TieBreaker
from lambdas.domain.cells import Span
from lambdas.domain.submissions import Submission
from ops.transfer.columns import Columns
from ops.transfer.errors import TransferUsageError
from ops.transfer.importing import BLOCK_LINES, blocks, checked
from ops.transfer.lines import MAX_LINE_BYTES
from ops.transfer.refusals import Refusals
from ops.transfer.rows import FileFormat, Row, rows

NOON = 1_796_040_000_000  # 2026-11-30T12:00:00Z
HEADER = b"player_id,score\n"
LONG = b"x" * 10_000_000

# What was read of a line: the player, or the beginning of the reason.
Found = list[tuple[int, str]]


def board(*tie_breakers: str) -> Board:
    columns = tuple(TieBreaker(name, range=Span(0, 100)) for name in tie_breakers)
    config = BoardConfig(score_range=Span(-1_000, 1_000), tie_breakers=columns)
    return Board("arena", config, 1, (Layout(number=1),))


def read(
    data: bytes, *tie_breakers: str, file_format: FileFormat = "csv", **columns: Any
) -> list[Row]:
    of_board = Columns(board(*tie_breakers), **columns)
    return list(rows(io.BytesIO(data), file_format, of_board))


def only(data: bytes, *tie_breakers: str, **more: Any) -> Submission:
    """The one submission of a file."""
    (row,) = read(data, *tie_breakers, **more)
    assert isinstance(row.read, Submission), row.read
    return row.read


def found(data: bytes, file_format: FileFormat = "csv") -> Found:
    """Lines with their players, or with why the board does not take them."""
    taken: Found = []
    refusals = Refusals(None)
    for row in read(data, file_format=file_format):
        for accepted in checked(board(), [row], NOON, refusals):
            taken.append((row.line, accepted.entry.player))
    return sorted([*taken, *((one.line, one.reason) for one in refusals.shown)])


def test_a_csv_line_becomes_a_submission() -> None:
    """Each column by its name, in whatever order the header has them."""
    data = (
        b'score,laps,metadata,player,achieved_at,rank\n7,3,"{""car"": ""a,b"", ""x"": 1.5}",'
        b"ada,2026-11-30T13:00:00.123+01:00,1\n"
    )
    submission = only(data, "laps")
    assert submission == Submission(
        "ada", 7, {"laps": 3}, NOON + 123, metadata={"car": "a,b", "x": 1.5}
    )


def test_a_json_line_becomes_a_submission() -> None:
    """As the API takes it; null stands for no value."""
    values = {"player_id": "ada", "score": -7, "laps": 3, "achieved_at": 5, "metadata": None}
    data = json.dumps(values).encode()
    assert only(data, "laps", file_format="jsonl") == Submission("ada", -7, {"laps": 3}, 5)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("", None),
        (" 1764504000000 ", 1764504000000),
        ("2026-11-30T12:00:00Z", NOON),
        ("2026-11-30 12:00:00.9999-00:30", NOON + 1_800_999),
        ("1969-12-31T23:59:59.999Z", -1),
    ],
)
def test_times_are_milliseconds_or_iso(cell: str, expected: int | None) -> None:
    """Digits alone are milliseconds; what is finer than one is cut off."""
    data = f"player_id,score,achieved_at\nada,1,{cell}\n".encode()
    assert only(data).achieved_at == expected


@pytest.mark.parametrize("name", ["rank", "score", "player", "metadata"])
def test_a_tie_breaker_named_as_a_column_has_a_column_of_its_own(name: str) -> None:
    """With `tie_breakers.` before its name, in CSV and JSON alike."""
    column = f"tie_breakers.{name}"
    assert only(f"player_id,score,{column}\nada,1,9\n".encode(), name).tie_breakers == {name: 9}
    line = json.dumps({"player_id": "ada", "score": 1, column: 9}).encode()
    assert only(line, name, file_format="jsonl").tie_breakers == {name: 9}


SCORE_CELLS = [
    "1.0",
    "1e3",
    "0x10",
    "1_000",
    "\N{ARABIC-INDIC DIGIT ONE}",
    "NaN",
    "true",
    "+5",
    "1 2",
]
CSV_FILES: list[tuple[str, bytes, Found]] = [
    ("a mark at the beginning", b"\xef\xbb\xbf" + HEADER + b"ada,1\n", [(2, "ada")]),
    ("carriage returns", b"player_id,score\r\nada,1\r\nbo,2\r\n", [(2, "ada"), (3, "bo")]),
    ("no end of the last line", HEADER + b"ada,1", [(2, "ada")]),
    ("blank lines", HEADER + b"\n\r\n  \nada,1\n,\n\n", [(5, "ada")]),
    ("nothing but a header", HEADER, []),
    ("a player twice", HEADER + b"ada,1\nada,2\n", [(2, "ada"), (3, "ada")]),
    ("quotes", HEADER + b'"a ""b"", c",1\n"=1+1",2\n', [(2, 'a "b", c'), (3, "=1+1")]),
    ("a quote inside", HEADER + b'a"b,1\n', [(2, 'a"b')]),
    ("spaces of an id", HEADER + b" ada , 1 \n", [(2, " ada ")]),
    ("a number for an id", HEADER + b"007,1\n", [(2, "007")]),
    ("an emoji", HEADER + "\N{FOX FACE},1\n".encode(), [(2, "\N{FOX FACE}")]),
    ("a line separator of Unicode", HEADER + "a\u2028b,1\n".encode(), [(2, "a\u2028b")]),
    (
        "line ends inside quotes",
        b'player_id,score,metadata\nada,1,"{\n""a"": 1}"\nbo,2,\n',
        [(2, "ada"), (4, "bo")],
    ),
    *(
        (
            f"{cell} for a score",
            HEADER + f"ada,{cell}\nbo,2\n".encode(),
            [(2, "score: "), (3, "bo")],
        )
        for cell in SCORE_CELLS
    ),
    ("no score", HEADER + b"ada,\n", [(2, "score: Is missing.")]),
    ("a score of 5,000 digits", HEADER + b"ada," + b"9" * 5_000, [(2, "score: '99")]),
    ("a score outside the range", HEADER + b"ada,1001\n", [(2, "score: Must be -1000 to 1000")]),
    ("no player", HEADER + b",1\n", [(2, "The player id is empty. A player id is 1 to 256")]),
    ("a slash in an id", HEADER + b"a/b,1\n", [(2, "The player id holds '/'. A player id is")]),
    (
        "a NUL byte in an id",
        HEADER + b"a\0b,1\nbo,2\n",
        [(2, "The player id holds the control"), (3, "bo")],
    ),
    ("a NUL byte in a score", HEADER + b"ada,\x001\n", [(2, "score: ")]),
    ("too few cells", HEADER + b"ada\nbo,2\n", [(2, "Has 1 cells; the header has 2."), (3, "bo")]),
    ("too many cells", HEADER + b"ada,1,\nbo,2\n", [(2, "Has 3 cells"), (3, "bo")]),
    (
        "bytes that are no UTF-8",
        HEADER + b"\xff,1\nbo,2\n",
        [(2, "Is not valid UTF-8."), (3, "bo")],
    ),
    ("half of a surrogate pair", HEADER + b"\xed\xa0\x80,1\n", [(2, "Is not valid UTF-8.")]),
    ("an old Mac's line ends", HEADER + b"ada,1\rbo,2\n", [(2, "Is no CSV")]),
    (
        "a quote that is never closed",
        HEADER + b'ada,1\n"bo,2\ncy,3\ndi,4\n',
        [(2, "ada"), (3, "A quote is not closed"), (4, "cy"), (5, "di")],
    ),
    (
        "a quote closed lines later",
        HEADER + b'"bo,2\ncy,3\n"di",4\ned,5\n',
        [(2, "A quote is not closed"), (3, "cy"), (4, "di"), (5, "ed")],
    ),
    (
        "a quote never closed in a long file",
        HEADER + b'"bo,2\n' + b"cy,3\n" * 20_000,
        [(2, "A quote is not closed"), *((line, "cy") for line in range(3, 20_003))],
    ),
    (
        "a line of 10 MB",
        HEADER + b"ada," + LONG + b"\nbo,2\n" + LONG,
        [(2, "Is longer than 65,536 bytes."), (3, "bo"), (4, "Is longer than")],
    ),
    (
        "a line of 10 MB inside quotes",
        HEADER + b'"a\n' + LONG + b"\nbo,2\n",
        [(2, "A quote is not closed"), (3, "Is longer than"), (4, "bo")],
    ),
    (
        "a time without a zone",
        b"player_id,score,achieved_at\nada,1,2026-11-30T12:00:00\n",
        [(2, "achieved_at: '2026-11-30T12:00:00' names no zone")],
    ),
    (
        "a time that is none",
        b"player_id,score,achieved_at\nada,1,yesterday\n",
        [(2, "achieved_at: 'yesterday' is neither")],
    ),
    (
        "a time before 1970",
        b"player_id,score,achieved_at\nada,1,-1\n",
        [(2, "achieved_at: Must be")],
    ),
    (
        "a time to come",
        b"player_id,score,achieved_at\nada,1,2099-01-01T00:00Z\n",
        [(2, "achieved_at: Must be")],
    ),
    (
        "metadata that is no JSON",
        b"player_id,score,metadata\nada,1,{a}\n",
        [(2, "metadata: Is no JSON")],
    ),
    (
        "metadata that is no object",
        b"player_id,score,metadata\nada,1,[1]\n",
        [(2, "metadata: Must be a JSON object.")],
    ),
    (
        "too much metadata",
        b'player_id,score,metadata\nada,1,"{""a"":""' + b"x" * 600 + b'""}"\n',
        [(2, "metadata: Is 608 bytes")],
    ),
]


def check(read_lines: Found, expected: Found) -> None:
    assert [line for line, _ in read_lines] == [line for line, _ in expected]
    for (line, read_text), (_, beginning) in zip(read_lines, expected, strict=True):
        assert read_text.startswith(beginning), (line, read_text)


@pytest.mark.parametrize(
    ("data", "expected"), [one[1:] for one in CSV_FILES], ids=[one[0] for one in CSV_FILES]
)
def test_each_line_of_a_csv_file_stands_for_itself(data: bytes, expected: Found) -> None:
    """What is wrong with one is said with its number, and the next one is read."""
    check(found(data) if len(expected) <= 20 else _without_limit(data), expected)


def _without_limit(data: bytes) -> Found:
    return [
        (row.line, row.read if isinstance(row.read, str) else row.read.player_id)
        for row in read(data)
    ]


ADA = b'{"player_id": "ada", "score": 1}\n'
JSON_FILES: list[tuple[str, bytes, Found]] = [
    ("a mark at the beginning", b"\xef\xbb\xbf" + ADA, [(1, "ada")]),
    ("blank lines and carriage returns", b"\n \r\n" + ADA.replace(b"\n", b"\r\n"), [(3, "ada")]),
    ("an empty file", b"", []),
    (
        "no object",
        b"[1]\n1\nnull\n" + ADA,
        [
            (1, "Is no JSON object."),
            (2, "Is no JSON object."),
            (3, "Is no JSON object."),
            (4, "ada"),
        ],
    ),
    ("no JSON", b"{player_id: 1}\n" + ADA, [(1, "Is no JSON: "), (2, "ada")]),
    ("two objects", b"{} {}\n", [(1, "Is no JSON: Extra data")]),
    (
        "a name twice",
        b'{"player_id": "a", "score": 1, "score": 2}\n',
        [(1, "Is no JSON that can be taken: a name is there twice")],
    ),
    (
        "a player by both names",
        b'{"player_id": "a", "player": "b", "score": 1}\n',
        [(1, "player_id: Is there twice.")],
    ),
    (
        "an unknown field",
        b'{"player_id": "a", "score": 1, "clan": 2}\n',
        [(1, "'clan': The board has no such field.")],
    ),
    ("NaN", b'{"player_id": "a", "score": NaN}\n', [(1, "Is no JSON that can be taken: NaN")]),
    (
        "infinity in metadata",
        b'{"player_id": "a", "score": 1, "metadata": {"x": 1e400}}\n',
        [(1, "metadata: Holds a number")],
    ),
    (
        "deep nesting",
        b'{"player_id": "a", "score": 1, "metadata": '
        + b"[" * 20_000
        + b"]" * 20_000
        + b"}\n"
        + ADA,
        [(1, "Is nested too deeply."), (2, "ada")],
    ),
    *(
        (
            f"{score} for a score",
            b'{"player_id": "a", "score": ' + score.encode() + b"}\n" + ADA,
            [(1, "score: "), (2, "ada")],
        )
        for score in ("1.0", "1e3", '"5"', "true", "null", "[]", "1001")
    ),
    (
        "a score of 5,000 digits",
        b'{"player_id": "a", "score": ' + b"9" * 5_000 + b"}\n",
        [(1, "Is no JSON that can be taken")],
    ),
    ("no score", b'{"player_id": "a"}\n', [(1, "score: Is missing.")]),
    ("no player", b'{"score": 1}\n', [(1, "player_id: Is missing.")]),
    (
        "a number for a player",
        b'{"player_id": 7, "score": 1}\n',
        [(1, "player_id: Must be a text.")],
    ),
    (
        "half of a surrogate pair",
        b'{"player_id": "\\ud800", "score": 1}\n',
        [(1, "The player id holds half")],
    ),
    ("a NUL byte", b"\0\n" + ADA, [(1, "Is no JSON"), (2, "ada")]),
    ("bytes that are no UTF-8", b'"\xff"\n' + ADA, [(1, "Is not valid UTF-8."), (2, "ada")]),
    (
        "a line of 10 MB",
        b'{"player_id": "' + LONG + b'"}\n' + ADA,
        [(1, "Is longer than"), (2, "ada")],
    ),
    (
        "a false time",
        b'{"player_id": "a", "score": 1, "achieved_at": 1.5}\n',
        [(1, "achieved_at: ")],
    ),
    (
        "metadata that is no object",
        b'{"player_id": "a", "score": 1, "metadata": "x"}\n',
        [(1, "metadata: Must be")],
    ),
]


@pytest.mark.parametrize(
    ("data", "expected"), [one[1:] for one in JSON_FILES], ids=[one[0] for one in JSON_FILES]
)
def test_each_line_of_a_json_file_stands_for_itself(data: bytes, expected: Found) -> None:
    """What is wrong with one is said with its number, and the next one is read."""
    check(found(data, "jsonl"), expected)


HEADERS = [
    (b"", "The file is empty"),
    (b"\n\n", "The file is empty"),
    (b"player_id\n", "lacks columns: score."),
    (b"ada,1\n", "columns that the board does not: ada, 1. It may have player_id, player, score"),
    (b"player_id,score,clan\n", "columns that the board does not: clan."),
    (b"player_id,Score\n", "columns that the board does not: Score."),
    (b"player_id,score,score\n", "columns twice: score."),
    (b"player_id,player,score\n", "columns twice: player_id."),
    (b"player_id,score,\n", "columns that the board does not: (no name)."),
    (b"player_id;score\n", "columns that the board does not: player_id;score."),
    ("player_id,score\n".encode("utf-16"), "cannot be read as CSV: Is not valid UTF-8."),
    (b'"player_id,score\nada,1\n', "cannot be read as CSV: A quote is not closed"),
    (b"player_id,score\rada,1\r", "cannot be read as CSV"),
    (LONG, "cannot be read as CSV: Is longer than"),
]


@pytest.mark.parametrize(("data", "reason"), HEADERS)
def test_a_header_that_does_not_fit_is_refused_before_any_line(data: bytes, reason: str) -> None:
    """With the names that are wrong, before the first row is asked for."""
    with pytest.raises(TransferUsageError) as refused:
        rows(io.BytesIO(data), "csv", Columns(board()))
    assert reason in str(refused.value)


def test_missing_tie_breakers_are_named() -> None:
    """All of them."""
    with pytest.raises(TransferUsageError, match="lacks columns: laps, falls"):
        read(HEADER, "laps", "falls")


def test_unknown_columns_are_passed_over_when_asked_to() -> None:
    """In CSV and JSON alike, and twice in one header too."""
    data = b"clan,player_id,score,clan\nx,ada,1,y\n"
    assert only(data, ignore_unknown=True) == Submission("ada", 1, {})
    line = b'{"player_id": "ada", "score": 1, "clan": 2}'
    assert only(line, ignore_unknown=True, file_format="jsonl") == Submission("ada", 1, {})


@pytest.mark.parametrize(
    "data",
    [
        HEADER + b'ada,1\n\n"bo\n,2\ncy,3\n' + b'"d\ni",4\n\xff,5\nx' * 3 + b",\ned,6",
        b"\xef\xbb\xbf" + HEADER.replace(b"\n", b"\r\n") + b'"a\r\nb",1\r\n\r\nbo,2\r\n',
    ],
)
def test_reading_goes_on_behind_any_row(data: bytes) -> None:
    """From the end of each row on, the same rows follow with the same numbers."""
    whole = read(data)
    assert len(whole) > 1
    for place, row in enumerate(whole, 1):
        rest = rows(io.BytesIO(data), "csv", Columns(board()), row.end, row.last_line)
        assert [one.text for one in rest] == [one.text for one in whole[place:]]
        again = rows(io.BytesIO(data), "csv", Columns(board()), row.end, row.last_line)
        assert [(one.line, one.end) for one in again] == [
            (one.line, one.end) for one in whole[place:]
        ]


@pytest.mark.parametrize("pattern", [b"x", b'"', b"\n", b"ada,1\n", b'"a,1\n', b'{"a": "\n'])
@pytest.mark.parametrize("file_format", ["csv", "jsonl"])
def test_memory_does_not_grow_with_the_file(pattern: bytes, file_format: FileFormat) -> None:
    """Ten times the file takes no more memory to read, whatever it is made of."""
    peaks = [peak(HEADER + pattern * count, file_format) for count in (1_000, 10_000)]
    assert peaks[1] < peaks[0] + 3 * MAX_LINE_BYTES


def peak(data: bytes, file_format: FileFormat) -> int:
    """The most memory that reading takes, besides the file itself."""
    file = io.BytesIO(data)
    tracemalloc.start()
    try:
        for block in blocks(rows(file, file_format, Columns(board()))):
            assert len(block) <= BLOCK_LINES
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_block_ends_where_its_lines_are_long() -> None:
    """So that a checkpoint is never far behind."""
    data = b"".join(b"x" * 1_000_000 + b"\n" for _ in range(12))
    found_blocks = list(blocks(iter(read(data, file_format="jsonl"))))
    assert [len(block) for block in found_blocks] == [5, 5, 2]
