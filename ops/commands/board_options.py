"""The options of `tally boards create` and `update`: a board's config, a field an option."""

from typing import Annotated, Literal

import typer

Whole = int | None
Text = str | None

Policy = Annotated[
    Literal["best", "latest", "sum"] | None,
    typer.Option(help="best: set if better; latest: by time achieved; sum: scores are added up."),
]
Order = Annotated[
    Literal["asc", "desc"] | None, typer.Option(help="desc: more is better; asc: less is.")
]
Ties = Annotated[
    Literal["ordinal", "shared"] | None,
    typer.Option(help="ordinal: the earlier leads; shared: equal scores share a rank."),
]
Minimum = Annotated[Whole, typer.Option("--min", help="The lowest score accepted.")]
Maximum = Annotated[Whole, typer.Option("--max", help="The highest score accepted.")]
TieBreakers = Annotated[
    list[str] | None,
    typer.Option(
        "--tie-breaker",
        metavar="NAME:desc|asc:MIN:MAX",
        help="A column that ranks between equal scores; again for a second one.",
    ),
]
Windows = Annotated[
    list[str] | None,
    typer.Option(
        "--window",
        metavar="WINDOW",
        help="all, daily, weekly, monthly, or season:NAME:START:END, its bounds dates, times or "
        "ms; again for more. The first is read where none is named.",
    ),
]
Dimensions = Annotated[
    list[str] | None,
    typer.Option(
        "--dimension",
        metavar="NAME",
        help="What submissions may name a value of, to feed a segment; again for more.",
    ),
]
TimeZone = Annotated[Text, typer.Option(help="The IANA zone whose days and weeks they are.")]
RetentionDays = Annotated[
    Whole, typer.Option(min=0, help="How long a window is kept after its end; 0: for ever.")
]
GraceSeconds = Annotated[
    Whole, typer.Option(help="How long an ended window takes what was achieved in it.")
]
EntryTtl = Annotated[
    Whole,
    typer.Option(
        "--entry-ttl",
        min=0,
        metavar="SECONDS",
        help="How long after it was achieved an entry expires; 0: never.",
    ),
]
ExactLimit = Annotated[Whole, typer.Option(help="Ranks up to here are exact.")]
CountLimit = Annotated[Whole, typer.Option(help="Largest cell counted when deeper.")]
TopExact = Annotated[Whole, typer.Option(help="Ranks counted from the index alone.")]
DisplayName = Annotated[Text, typer.Option(help="A name for people.")]
Description = Annotated[Text, typer.Option(help="What the board ranks.")]
Levels = Annotated[Whole, typer.Option(help="Levels of counters, 1 to 6.")]
Buckets = Annotated[Whole, typer.Option(help="First-level buckets: 64, 128, 256.")]
Spacing = Annotated[
    Literal["log", "linear"] | None, typer.Option(help="How buckets divide the scores.")
]
CounterShards = Annotated[Whole, typer.Option(help="Shards a node, 1 to 32.")]
IndexShards = Annotated[Whole, typer.Option(help="Shards of the index, 1 to 32.")]
