"""Caches that a function's container keeps between calls: bounded, with a clock handed in."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic, NamedTuple, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Cached(NamedTuple, Generic[V]):
    """A cached value, and whether it is still within its lifetime."""

    value: V
    fresh: bool


class Cache(Generic[K, V]):
    """Keeps the newest `size` values; one past its lifetime is handed out as stale.

    Stale values are kept on purpose: they serve while DynamoDB does not.
    """

    def __init__(self, *, size: int, lifetime_seconds: float, clock: Callable[[], float]) -> None:
        self._size = size
        self._lifetime = lifetime_seconds
        self._clock = clock
        self._lock = Lock()
        self._values: OrderedDict[K, tuple[float, V]] = OrderedDict()

    def get(self, key: K) -> Cached[V] | None:
        """The value kept under a key, fresh or stale; None if there is none."""
        with self._lock:
            found = self._values.get(key)
        if found is None:
            return None
        written, value = found
        return Cached(value, self._clock() - written < self._lifetime)

    def put(self, key: K, value: V) -> None:
        """Keeps a value, and drops the one that was written longest ago when full."""
        with self._lock:
            self._values[key] = (self._clock(), value)
            self._values.move_to_end(key)
            while len(self._values) > self._size:
                self._values.popitem(last=False)

    def drop(self, key: K) -> None:
        """Forgets a value."""
        with self._lock:
            self._values.pop(key, None)

    def clear(self) -> None:
        """Forgets every value."""
        with self._lock:
            self._values.clear()
