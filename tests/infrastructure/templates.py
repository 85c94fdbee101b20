"""Reads synthesized templates by the role of a resource, never by a hashed id."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Json = Any


@dataclass(frozen=True)
class Stage:
    """The synthesized stacks of one stage."""

    name: str
    outdir: Path
    data_name: str
    service_name: str

    @property
    def data(self) -> Json:
        """The template of the tables."""
        return self._template(self.data_name)

    @property
    def service(self) -> Json:
        """The template of functions and API."""
        return self._template(self.service_name)

    @property
    def monitoring(self) -> Json:
        """The template of alarms, where the stage has one."""
        return self._template(self.monitoring_name)

    @property
    def monitoring_name(self) -> str:
        """The name of the stack of alarms, whether or not the stage has one."""
        return f"Tallyboard-{self.name}-Monitoring"

    @property
    def paths(self) -> list[Path]:
        """The files of all its templates."""
        stacks = (self.data_name, self.service_name, self.monitoring_name)
        return [path for path in map(self._path, stacks) if path.exists()]

    def _path(self, stack: str) -> Path:
        return self.outdir / f"{stack}.template.json"

    def _template(self, stack: str) -> Json:
        return json.loads(self._path(stack).read_text())


def resources(template: Json, kind: str) -> dict[str, Json]:
    """Returns the resources of a type by logical id."""
    return {
        logical_id: resource
        for logical_id, resource in template["Resources"].items()
        if resource["Type"] == kind
    }


def only(template: Json, kind: str) -> Json:
    """Returns the properties of the one resource of a type."""
    (resource,) = resources(template, kind).values()
    return resource["Properties"]


def table(stage: Stage, name: str) -> Json:
    """Returns the resource of a table, found by the output that names it."""
    logical_id = stage.data["Outputs"][f"{name}TableName"]["Value"]["Ref"]
    return stage.data["Resources"][logical_id]


def function(stage: Stage, name: str) -> tuple[str, Json]:
    """Returns logical id and properties of a function, found by its handler."""
    handler = f"lambdas.handlers.{name}.handler"
    (found,) = (
        (logical_id, resource["Properties"])
        for logical_id, resource in resources(stage.service, "AWS::Lambda::Function").items()
        if resource["Properties"]["Handler"] == handler
    )
    return found


def statements_of(stage: Stage, name: str) -> list[Json]:
    """Returns the statements of every policy on a function's role."""
    _, properties = function(stage, name)
    role_id = properties["Role"]["Fn::GetAtt"][0]
    role = stage.service["Resources"][role_id]["Properties"]
    assert "ManagedPolicyArns" not in role
    assert "Policies" not in role
    return [
        statement
        for policy in resources(stage.service, "AWS::IAM::Policy").values()
        if {"Ref": role_id} in policy["Properties"]["Roles"]
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]
    ]


def as_list(value: Json) -> list[Json]:
    """Returns a value that a template writes alone or as a list, as a list."""
    return value if isinstance(value, list) else [value]
