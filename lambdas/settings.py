"""What a function is told by its environment, read once; a bad value names its variable."""

from collections.abc import Mapping
from dataclasses import dataclass

from lambdas import names


class SettingsError(ValueError):
    """An environment variable is missing or empty."""


@dataclass(frozen=True)
class HttpSettings:
    """Settings of the functions behind the API."""

    stage: str
    scores_table: str
    counters_table: str
    boards_table: str


@dataclass(frozen=True)
class AdminSettings:
    """Settings of the admin function."""

    stage: str
    boards_table: str


@dataclass(frozen=True)
class CountSettings:
    """Settings of the count function."""

    stage: str
    counters_table: str
    boards_table: str
    failure_queue_url: str


def http_settings(environment: Mapping[str, str]) -> HttpSettings:
    """Reads the settings of the submit and read functions.

    Raises:
        SettingsError: naming the variable that is missing.
    """
    return HttpSettings(
        stage=_required(environment, names.ENV_STAGE),
        scores_table=_required(environment, names.ENV_SCORES_TABLE),
        counters_table=_required(environment, names.ENV_COUNTERS_TABLE),
        boards_table=_required(environment, names.ENV_BOARDS_TABLE),
    )


def admin_settings(environment: Mapping[str, str]) -> AdminSettings:
    """Reads the settings of the admin function.

    Raises:
        SettingsError: naming the variable that is missing.
    """
    return AdminSettings(
        stage=_required(environment, names.ENV_STAGE),
        boards_table=_required(environment, names.ENV_BOARDS_TABLE),
    )


def count_settings(environment: Mapping[str, str]) -> CountSettings:
    """Reads the settings of the count function.

    Raises:
        SettingsError: naming the variable that is missing.
    """
    return CountSettings(
        stage=_required(environment, names.ENV_STAGE),
        counters_table=_required(environment, names.ENV_COUNTERS_TABLE),
        boards_table=_required(environment, names.ENV_BOARDS_TABLE),
        failure_queue_url=_required(environment, names.ENV_FAILURE_QUEUE_URL),
    )


def _required(environment: Mapping[str, str], name: str) -> str:
    value = environment.get(name, "")
    if not value:
        raise SettingsError(f"The environment variable {name} is not set.")
    return value
