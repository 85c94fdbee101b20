"""Lets one process serve many calls at once, as Lambda does with a process for each.

Powertools keeps the event and the context of a call on the resolver, where two threads would
overwrite each other's. On Lambda a process serves one call at a time; in the rig a thread does, so
here each thread gets an event and a context of its own. What the functions run stays as it is.
"""

import threading
from typing import Any

from aws_lambda_powertools.utilities.data_classes.common import BaseProxyEvent

from lambdas.api.resolver import TallyResolver


class _PerThread(TallyResolver):
    _calls = threading.local()

    def _to_proxy_event(self, event: dict[str, Any]) -> BaseProxyEvent:
        converted = super()._to_proxy_event(event)
        self._calls.event = converted
        return converted

    @property
    def current_event(self) -> Any:  # type: ignore[override]
        """The event of this thread's call."""
        return self._calls.event

    @property
    def context(self) -> dict[str, Any]:  # type: ignore[override]
        """The context of this thread's call."""
        if not hasattr(self._calls, "context"):
            self._calls.context = {}
        found: dict[str, Any] = self._calls.context
        return found


def serve_in_threads(app: TallyResolver) -> None:
    """Makes a resolver safe to share between threads."""
    app.__class__ = _PerThread
