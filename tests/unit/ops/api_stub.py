"""A stand-in for the API: answers what a test tells it to, and checks every signature itself."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

STACKS = {
    "Tallyboard-local-DataStack": {
        "ScoresTableName": "scores-1",
        "CountersTableName": "counters-1",
        "BoardsTableName": "boards-1",
        "SubmissionsTableName": "submissions-1",
    },
    "Tallyboard-local-ServiceStack": {"ApiUrl": "http://abc.execute-api.localhost:1"},
}


@dataclass
class Seen:
    """One request as it arrived, and whether its signature matches what arrived."""

    method: str
    target: str
    host: str
    body: Any
    signature_matches: bool


@dataclass
class ApiStub:
    """The stub: `answers` go out in turn, `seen` holds what came in."""

    port: int = 0
    answers: list[tuple[int, Any]] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://abc.execute-api.localhost:{self.port}"


def signature_matches(method: str, url: str, headers: dict[str, str], body: bytes) -> bool:
    """Recompute a signature over the URL *as received*, with the local key."""
    request = AWSRequest(method=method, url=url, data=body)
    request.headers["X-Amz-Date"] = headers["X-Amz-Date"]
    request.context["timestamp"] = headers["X-Amz-Date"]
    auth = SigV4Auth(Credentials("test", "test"), "execute-api", "us-east-1")
    signed = auth.string_to_sign(request, auth.canonical_request(request))
    return headers["Authorization"].endswith(f"Signature={auth.signature(signed, request)}")


def write_outputs(directory: Path, stacks: Any, stage: str = "local") -> None:
    """Write an outputs file as the CDK does."""
    text = stacks if isinstance(stacks, str) else json.dumps(stacks)
    (directory / f"{stage}.outputs.json").write_text(text, encoding="utf-8")
