"""Reads dashboards out of synthesized templates, with the rig's names for what they draw."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from lambdas.names import DIMENSION_STAGE, STAGE_RIG
from ops.metrics import Metric, rig_names

ROOT: Final = Path(__file__).parents[2]
STAGE: Final = "prod"
DASHBOARDS: Final = ("service", "counting")
Json = Any
_PSEUDO: Final = {"AWS::Region": "us-east-1", "AWS::AccountId": "000000000000"}


def synthesized(stage: str = STAGE) -> dict[str, Json]:
    """The body of each dashboard of a stage, by its name within the stage.

    It runs the app as the CDK would: nothing of ops may import a stack.
    """
    context = json.loads((ROOT / "cdk.json").read_text(encoding="utf-8"))["context"]
    with tempfile.TemporaryDirectory() as folder:
        given = {"CDK_OUTDIR": folder, "CDK_CONTEXT_JSON": json.dumps(context | {"stage": stage})}
        subprocess.run([sys.executable, "app.py"], cwd=ROOT, env=os.environ | given, check=True)
        templates = {
            part: json.loads(
                (Path(folder) / f"Tallyboard-{stage}-{part}.template.json").read_text()
            )
            for part in ("Data", "Service", "Monitoring")
        }
    return bodies(templates, stage)


def bodies(templates: Mapping[str, Json], stage: str) -> dict[str, Json]:
    """The same from templates that are there, by the last part of their stacks' names."""
    names = exports(templates)
    return {
        one["Properties"]["DashboardName"].removeprefix(f"Tallyboard-{stage}-"): json.loads(
            _resolved(one["Properties"]["DashboardBody"], names)
        )
        for one in templates["Monitoring"]["Resources"].values()
        if one["Type"] == "AWS::CloudWatch::Dashboard"
    }


def metric_on_rig(namespace: str, name: str, dimensions: Mapping[str, str]) -> Metric:
    """What the rig calls a metric of `STAGE` whose resources have the rig's names already."""
    of = dict(dimensions)
    if of.get(DIMENSION_STAGE) == STAGE:
        of[DIMENSION_STAGE] = STAGE_RIG
    return Metric.of(namespace, name, of)


def _resolved(value: Json, names: Mapping[str, str]) -> str:
    if isinstance(value, str):
        return value
    if "Fn::Join" in value:
        separator, parts = value["Fn::Join"]
        return str(separator).join(_resolved(part, names) for part in parts)
    if "Ref" in value:
        return _PSEUDO[value["Ref"]]
    return names[value["Fn::ImportValue"]]


def exports(templates: Mapping[str, Json]) -> dict[str, str]:
    """What the rig calls each resource that a stack hands to others, by the export's name."""
    outputs = [
        (key, one) for template in templates.values() for key, one in template["Outputs"].items()
    ]
    of_rig = rig_names()
    by_id = {_logical_id(one["Value"]): of_rig[key] for key, one in outputs if key in of_rig}
    return {
        one["Export"]["Name"]: by_id[_logical_id(one["Value"])]
        for _, one in outputs
        if "Export" in one and _logical_id(one["Value"]) in by_id
    }


def _logical_id(value: Json) -> str:
    """What an output is about; the address of the API is joined from its parts."""
    if isinstance(value, str):
        return value
    if "Ref" in value:
        return str(value["Ref"])
    if "Fn::GetAtt" in value:
        return str(value["Fn::GetAtt"][0])
    parts = [part for part in value["Fn::Join"][1] if not isinstance(part, str)]
    return _logical_id(parts[0])
