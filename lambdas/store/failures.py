"""The failure queue: what the count function could not count, for people to repair."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import BotoCoreError, ClientError

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

_MESSAGES_A_CALL: Final = 10  # the most that SendMessageBatch takes


class Failures:
    """The failure queue."""

    def __init__(self, client: "SQSClient", queue_url: str) -> None:
        self._client = client
        self._queue_url = queue_url

    def send(self, messages: Sequence[Mapping[str, Any]]) -> int:
        """Sends messages and returns how many could not be sent.

        It never raises: a queue that fails must not stop the stream, and whatever could not be
        sent stands in the function's log. A call that fails is the last one made, for it may
        have cost all the time there is.
        """
        unsent = 0
        for start in range(0, len(messages), _MESSAGES_A_CALL):
            some = messages[start : start + _MESSAGES_A_CALL]
            entries = [
                {"Id": str(i), "MessageBody": json.dumps(message)} for i, message in enumerate(some)
            ]
            try:
                answer = self._client.send_message_batch(
                    QueueUrl=self._queue_url,
                    Entries=entries,  # type: ignore[arg-type]
                )
            except (BotoCoreError, ClientError):
                return unsent + len(messages) - start
            else:
                unsent += len(answer.get("Failed", []))
        return unsent
