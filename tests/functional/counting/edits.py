"""Every way in which one field of a stream record can be edited by hand."""

import copy
from collections.abc import Callable
from typing import Any

Record = dict[str, Any]
GARBAGE: list[Any] = [None, "", "garbage", -1, 1.5, True, [], {}, {"S": "x"}, {"N": "1"}]


def edits() -> list[tuple[str, Callable[[Record], Any]]]:
    """Every way in which one field of a record is edited: its name, and what does it."""
    image_fields = {
        "pk": [{"S": "x#all#b"}, {"S": "nonsense"}, {"S": ""}],
        "score": [{"N": "11"}, {"N": "-5"}, {"N": "1.5"}, {"N": "9" * 38}],
        "order_key": [{"S": "0"}],
        "achieved_at": [{"N": "1"}, {"N": "-1"}],
        "layout": [{"N": "0"}, {"N": "99"}, {"N": "-3"}, {"N": "1.5"}],
        "cell": [{"S": ""}, {"S": "zz"}, {"S": "0000"}],
        "rank_partition": [{"S": "x"}, {"S": "x#all#hidden"}],
        "rank_key": [{"S": "x"}],
    }
    found: list[tuple[str, Callable[[Record], Any]]] = []
    wrong: list[Any] = [{"S": "garbage"}, {"N": "77"}, {"BOOL": True}, {"NULL": True}, {"B": b"x"}]
    for field, values in image_fields.items():
        for value in [*wrong, *values]:
            found.append((f"NewImage.{field}={value}", _set("NewImage", field, value)))
            found.append((f"OldImage.{field}={value}", _set("OldImage", field, value)))
        for image in ("NewImage", "OldImage"):
            found.append((f"{image} without {field}", _drop(image, field)))
    stream_fields = {
        "SequenceNumber": [*GARBAGE, 7, "-5", "1" * 41, "1" * 5000, "1_0", " 7", "٣"],
        "Keys": [*GARBAGE, {"pk": {"S": "#all#x"}}, {"pk": {"S": "UP#all#x"}}, {"pk": {"N": "1"}}],
        "ApproximateCreationDateTime": [
            *(one for one in GARBAGE if one != 1.5),
            "1",
            float("nan"),
            float("inf"),
            1e300,
            10**11,
        ],
        "NewImage": GARBAGE,
        "OldImage": GARBAGE,
    }
    for field, values in stream_fields.items():
        found += [(f"{field}={value!r:.40}", _set(None, field, value)) for value in values]
        found.append((f"without {field}", _drop(None, field)))
    found += [
        (f"eventName={value!r}", lambda record, value=value: record.update(eventName=value))
        for value in [*GARBAGE, "INSERT", "REMOVE"]
    ]
    found += [
        (f"dynamodb={value!r}", lambda record, value=value: record.update(dynamodb=value))
        for value in GARBAGE
    ]
    return found


def _set(image: str | None, field: str, value: Any) -> Callable[[Record], Any]:
    def edit(record: Record) -> None:
        stream = record["dynamodb"]
        (stream[image] if image else stream)[field] = copy.deepcopy(value)

    return edit


def _drop(image: str | None, field: str) -> Callable[[Record], Any]:
    def edit(record: Record) -> None:
        stream = record["dynamodb"]
        (stream[image] if image else stream).pop(field)

    return edit
