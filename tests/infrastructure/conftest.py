"""Synthesizes each stage once a session, in this process."""

import json
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.infrastructure.templates import Stage

# Before the CDK starts its Node: an end-of-life banner is no finding of ours.
os.environ.setdefault("JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION", "20")
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Stage]:
    """Returns the synthesized stacks of a stage, as a function of its name."""
    from aws_cdk import App

    from app import add_stacks
    from stacks.stages import stage_config

    context = json.loads((ROOT / "cdk.json").read_text())["context"]

    @cache
    def synthesized(name: str) -> Stage:
        outdir = tmp_path_factory.mktemp(f"cdk-{name}")
        app = App(context=context, outdir=str(outdir), analytics_reporting=False)
        data, service = add_stacks(app, stage_config(name))
        app.synth()
        return Stage(name, outdir, data.stack_name, service.stack_name)

    return synthesized
