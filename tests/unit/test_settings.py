"""Settings: read once from a mapping, each missing one named."""

from typing import Any

import pytest

from lambdas import names
from lambdas.settings import (
    AdminSettings,
    CountSettings,
    ExpireSettings,
    HttpSettings,
    SettingsError,
    SubmitSettings,
    read_settings,
)

TABLES = (names.ENV_SCORES_TABLE, names.ENV_COUNTERS_TABLE, names.ENV_BOARDS_TABLE)
KINDS: list[tuple[type[Any], tuple[str, ...]]] = [
    (HttpSettings, (names.ENV_STAGE, *TABLES)),
    (SubmitSettings, (names.ENV_STAGE, *TABLES, names.ENV_SUBMISSIONS_TABLE)),
    (
        AdminSettings,
        (
            names.ENV_STAGE,
            names.ENV_SCORES_TABLE,
            names.ENV_BOARDS_TABLE,
            names.ENV_SUBMISSIONS_TABLE,
        ),
    ),
    (ExpireSettings, (names.ENV_STAGE, names.ENV_SCORES_TABLE, names.ENV_BOARDS_TABLE)),
    (
        CountSettings,
        (
            names.ENV_STAGE,
            names.ENV_COUNTERS_TABLE,
            names.ENV_BOARDS_TABLE,
            names.ENV_FAILURE_QUEUE_URL,
        ),
    ),
]
CASES = [(kind, name) for kind, variables in KINDS for name in variables]


def _environment(variables: tuple[str, ...]) -> dict[str, str]:
    return {name: f"value of {name}" for name in variables}


@pytest.mark.parametrize(("kind", "variables"), KINDS)
def test_settings_are_the_values_of_their_variables(
    kind: type[Any], variables: tuple[str, ...]
) -> None:
    """Each variable is read into the field of its name, and no other is needed."""
    settings = read_settings(kind, _environment(variables))
    fields = {name.removeprefix("TALLY_").lower(): f"value of {name}" for name in variables}
    assert vars(settings) == fields


@pytest.mark.parametrize(("kind", "missing"), CASES)
@pytest.mark.parametrize("empty", [False, True])
def test_a_missing_variable_is_named(kind: type[Any], missing: str, empty: bool) -> None:
    """A function that lacks a setting fails at once, naming the variable, also if it is empty."""
    variables = dict(KINDS)[kind]
    environment = _environment(variables)
    del environment[missing]
    if empty:
        environment[missing] = ""
    with pytest.raises(SettingsError, match=missing):
        read_settings(kind, environment)
