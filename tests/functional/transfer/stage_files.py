"""An outputs file that leads `tally` to the engine of the tests."""

import json
from pathlib import Path

from ops.rig.engine import DynamoDBLocal
from ops.rig.tables import TableNames


def write_outputs(home: Path, engine: DynamoDBLocal, names: TableNames) -> None:
    """Makes a state folder in which stage `rig` has the engine's tables, and no API."""
    outputs = {
        "ApiUrl": "http://127.0.0.1:9",
        "EndpointUrl": engine.endpoint_url,
        "ScoresTableName": names.scores,
        "CountersTableName": names.counters,
        "BoardsTableName": names.boards,
        "SubmissionsTableName": names.submissions,
    }
    (home / "rig.outputs.json").write_text(json.dumps({"Rig": outputs}))
