"""A DynamoDB client in memory, for the very requests that `store/counters.py` makes.

It understands those expressions and no others, so that a request that changes is noticed here.
It fails wherever it is told, and runs histories by the thousand. What a request consumes it does
not know: it says one unit each, and tests that need the truth ask the official local engine.
"""

import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any, Final

from botocore.exceptions import ClientError, ReadTimeoutError

TABLE: Final = "counters"
PAGE: Final = 3  # items a query answers with at a time, so that paging is met
_CAPACITY: Final = {"ConsumedCapacity": {"TableName": TABLE, "CapacityUnits": 1.0}}

Item = dict[str, dict[str, Any]]
Key = tuple[str, str]


class FakeCounters:
    """The `Counters` table behind a DynamoDB client.

    Attributes:
        items: what is stored, by partition and sort key.
        requests: the names of the operations that were called, in order.
        before: called with the operation before each request is carried out; may raise, which
            fails the request without a trace, or change what is stored.
        after: the same once it was carried out: raising there loses the reply.
    """

    def __init__(self) -> None:
        self.items: dict[Key, Item] = {}
        self.requests: list[str] = []
        self.before: Callable[[str], None] = _nothing
        self.after: Callable[[str], None] = _nothing

    def update_item(self, **request: Any) -> dict[str, Any]:
        """One conditional update, all or nothing."""
        self._begin("update_item", request)
        key, names, values = _key(request), _names(request), request["ExpressionAttributeValues"]
        item = self.items.get(key, {})
        if not _holds(request["ConditionExpression"], item, names, values):
            raise _condition_failed(
                item if "ReturnValuesOnConditionCheckFailure" in request else {}
            )
        new = deepcopy(item or request["Key"])
        touched = _apply(request["UpdateExpression"], new, names, values)
        answer: dict[str, Any] = dict(_CAPACITY)
        if request.get("ReturnValues") == "UPDATED_OLD":
            old = {name: item[name] for name in touched if name in item}
            answer |= {"Attributes": old} if old else {}
        self.items[key] = new
        self.after("update_item")
        return answer

    def get_item(self, **request: Any) -> dict[str, Any]:
        """One item."""
        self._begin("get_item", request)
        assert set(request) <= {"TableName", "Key", "ConsistentRead", "ReturnConsumedCapacity"}
        item = deepcopy(self.items.get(_key(request), {}))
        self.after("get_item")
        return _CAPACITY | ({"Item": item} if item else {})

    def query(self, **request: Any) -> dict[str, Any]:
        """The items of one partition, a page at a time, by sort key."""
        self._begin("query", request)
        assert request["KeyConditionExpression"] == "pk = :node"
        pk = request["ExpressionAttributeValues"][":node"]["S"]
        start = request.get("ExclusiveStartKey", {}).get("sk", {"S": ""})["S"]
        found = sorted(sk for p, sk in self.items if p == pk and sk > start)
        page = [deepcopy(self.items[pk, sk]) for sk in found[:PAGE]]
        answer: dict[str, Any] = {"Items": page, "Count": len(page)}
        if len(found) > PAGE:
            answer["LastEvaluatedKey"] = {name: page[-1][name] for name in ("pk", "sk")}
        self.after("query")
        return answer | _CAPACITY

    def _begin(self, operation: str, request: Mapping[str, Any]) -> None:
        assert request["TableName"] == TABLE
        self.requests.append(operation)
        self.before(operation)


def throttled(operation: str) -> ClientError:
    """What a client raises where DynamoDB refuses for want of capacity."""
    return ClientError({"Error": {"Code": "ThrottlingException", "Message": "slow"}}, operation)


def refused(operation: str) -> ClientError:
    """What a client raises where DynamoDB calls a request invalid."""
    return ClientError({"Error": {"Code": "ValidationException", "Message": "no"}}, operation)


def lost_reply(_: str) -> ReadTimeoutError:
    """What a client raises where no answer came; the write may have happened."""
    return ReadTimeoutError(endpoint_url="https://dynamodb")


def _nothing(_: str) -> None:
    pass


def _key(request: Mapping[str, Any]) -> Key:
    assert set(request["Key"]) == {"pk", "sk"}
    return request["Key"]["pk"]["S"], request["Key"]["sk"]["S"]


def _names(request: Mapping[str, Any]) -> Mapping[str, str]:
    names: Mapping[str, str] = request["ExpressionAttributeNames"]
    spelt = f"{request['UpdateExpression']} {request['ConditionExpression']}"
    # As DynamoDB: what is defined is used, and what is used is defined.
    assert set(re.findall(r"#\w+", spelt)) == set(names)
    assert set(re.findall(r":\w+", spelt)) == set(request["ExpressionAttributeValues"])
    return names


def _holds(condition: str, item: Item, names: Mapping[str, str], values: Mapping[str, Any]) -> bool:
    if (match := re.fullmatch(r"attribute_not_exists\((#\w+)\) OR \1 < (:\w+)", condition)) is None:
        equal = [re.fullmatch(r"(#\w+) = (:\w+)", part) for part in condition.split(" AND ")]
        assert all(equal), condition
        return all(item.get(names[one[1]]) == values[one[2]] for one in equal if one)
    mark = item.get(names[match[1]])
    # Bytes compare as DynamoDB's binaries do; a value of another type is never below.
    return mark is None or ("B" in mark and mark["B"] < values[match[2]]["B"])


def _apply(
    update: str, item: Item, names: Mapping[str, str], values: Mapping[str, Any]
) -> list[str]:
    match = re.fullmatch(r"(?:SET (.+?))?(?: ADD (.+))?|REMOVE (.+)", update)
    assert match, update
    sets, adds, removes = (part.split(", ") if part else [] for part in match.groups())
    touched = []
    for one in sets:
        name, value = one.split(" = ")
        touched.append(names[name])
        item[names[name]] = values[value]
    for one in adds:
        name, value = one.split(" ")
        touched.append(names[name])
        before = int(item.get(names[name], {"N": "0"})["N"])
        item[names[name]] = {"N": str(before + int(values[value]["N"]))}
    for one in removes:
        touched.append(names[one])
        item.pop(names[one], None)
    assert len(touched) == len(set(touched)), "two paths of an update overlap"
    return touched


def _condition_failed(item: Item) -> ClientError:
    response: dict[str, Any] = {
        "Error": {"Code": "ConditionalCheckFailedException", "Message": "The request failed"}
    }
    if item:
        response["Item"] = deepcopy(item)
    return ClientError(response, "UpdateItem")  # type: ignore[arg-type]
