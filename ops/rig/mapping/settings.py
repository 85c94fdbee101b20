"""What an event source mapping can be told, in the words and with the limits of AWS."""

from dataclasses import dataclass
from typing import Final

PAYLOAD_BYTES: Final = 6 * 1024 * 1024  # of a synchronous call; no setting moves it
STATE_BYTES: Final = 1024 * 1024  # a state above it ends its window early
UNLIMITED: Final = -1


@dataclass(frozen=True, kw_only=True)
class MappingSettings:
    """The settings of one mapping; the defaults are those that the count function is deployed with.

    Attributes:
        batch_size: most records a call, 1 to 10,000.
        batching_window_seconds: how long records are gathered for a call, 0 to 300.
        tumbling_window_seconds: length of a tumbling window, 0 (none) to 900.
        maximum_retry_attempts: retries before records are discarded; -1: without limit.
        maximum_record_age_seconds: age at which records are discarded; -1: without limit.
        bisect_batch_on_function_error: halve a batch that failed.
        report_batch_item_failures: heed `batchItemFailures` in an answer.
        final_calls_with_records: let the last records of a window come in its final call where
            it is known to be over by then. AWS promises neither way, so both can be had.
        first_backoff_seconds, longest_backoff_seconds: waits between retries, doubling. AWS backs
            off exponentially and names no numbers; these are ours.
        state_bytes: the most a window's state may weigh.
        payload_bytes: the most an event may weigh.
    """

    batch_size: int = 1_000
    batching_window_seconds: float = 1.0
    tumbling_window_seconds: int = 60
    maximum_retry_attempts: int = UNLIMITED
    maximum_record_age_seconds: float = 20 * 3600
    bisect_batch_on_function_error: bool = True
    report_batch_item_failures: bool = True
    final_calls_with_records: bool = True
    first_backoff_seconds: float = 0.5
    longest_backoff_seconds: float = 60.0
    state_bytes: int = STATE_BYTES
    payload_bytes: int = PAYLOAD_BYTES

    def __post_init__(self) -> None:
        """Refuses what AWS would refuse."""
        for name, low, high in (
            ("batch_size", 1, 10_000),
            ("batching_window_seconds", 0, 300),
            ("tumbling_window_seconds", 0, 900),
            ("maximum_retry_attempts", UNLIMITED, 10_000),
            ("maximum_record_age_seconds", UNLIMITED, 604_800),
        ):
            value = getattr(self, name)
            if not low <= value <= high:
                raise ValueError(f"{name} must be {low} to {high}, not {value}")

    def backoff_seconds(self, failures: int) -> float:
        """How long to wait after so many failures in a row, at least one."""
        return min(self.first_backoff_seconds * 2.0 ** (failures - 1), self.longest_backoff_seconds)
