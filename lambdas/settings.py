"""What a function is told by its environment, read once; a bad value names its variable."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, TypeVar

from lambdas import names

_VARIABLES: Final = {
    "stage": names.ENV_STAGE,
    "scores_table": names.ENV_SCORES_TABLE,
    "counters_table": names.ENV_COUNTERS_TABLE,
    "boards_table": names.ENV_BOARDS_TABLE,
    "submissions_table": names.ENV_SUBMISSIONS_TABLE,
    "failure_queue_url": names.ENV_FAILURE_QUEUE_URL,
}


class SettingsError(ValueError):
    """An environment variable is missing or empty."""


@dataclass(frozen=True)
class HttpSettings:
    """Settings of the read function, and of the submit function as far as it ranks."""

    stage: str
    scores_table: str
    counters_table: str
    boards_table: str


@dataclass(frozen=True)
class SubmitSettings(HttpSettings):
    """Settings of the submit function."""

    submissions_table: str


@dataclass(frozen=True)
class AdminSettings:
    """Settings of the admin function."""

    stage: str
    scores_table: str
    boards_table: str
    submissions_table: str


@dataclass(frozen=True)
class ExpireSettings:
    """Settings of the expire function."""

    stage: str
    scores_table: str
    boards_table: str


@dataclass(frozen=True)
class CountSettings:
    """Settings of the count function."""

    stage: str
    counters_table: str
    boards_table: str
    failure_queue_url: str


Settings = TypeVar(
    "Settings", HttpSettings, SubmitSettings, AdminSettings, ExpireSettings, CountSettings
)


def read_settings(kind: type[Settings], environment: Mapping[str, str]) -> Settings:
    """Reads one function's settings.

    Raises:
        SettingsError: naming the variable that is missing.
    """
    values: dict[str, Any] = {}
    for field in fields(kind):
        variable = _VARIABLES[field.name]
        values[field.name] = environment.get(variable)
        if not values[field.name]:
            raise SettingsError(f"The environment variable {variable} is not set.")
    return kind(**values)
