"""Signed requests to one deployed stage, and what its errors become.

Requests are signed with SigV4 over the very URL that goes out: requests leaves some characters of
a path as they are and botocore encodes the path once more, so signing anything but the prepared
URL would be refused for ids with quotes, spaces or emoji.

Of Tallyboard's functions this imports the names alone: load tests use it from outside.
"""

import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote, urlencode, urlsplit

import requests
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.session import Session as BotocoreSession
from requests.adapters import HTTPAdapter

from ops.errors import ApiError, ClientError, NotRunningError, UnsendableError
from ops.outputs import LOCAL_REGION, Outputs, dialled, remedy

SIGNING_SERVICE: Final = "execute-api"
LOCAL_KEY: Final = "test"  # key id and secret of every local emulator
# From cold workers the first calls of a local deployment take 20 s at 32 in flight.
LOCAL_TIMEOUT_SECONDS: Final = 60
AWS_TIMEOUT_SECONDS: Final = 15  # the functions themselves give up after 10 s
POOL_SIZE: Final = 64
_BODY_EXCERPT: Final = 300

Json = Any  # a decoded JSON value


class SignedSession:
    """Signed requests to one stage; safe to share between threads.

    Each call makes one request and repeats none: when, and how often, is the caller's to decide.
    """

    def __init__(self, outputs: Outputs, *, timeout_seconds: float | None = None) -> None:
        """Make a client; connects to nothing yet.

        Raises:
            ClientError: No credentials or no region can be found for a stage on AWS.
        """
        self.outputs = outputs
        local = outputs.is_local
        self._timeout = timeout_seconds or (LOCAL_TIMEOUT_SECONDS if local else AWS_TIMEOUT_SECONDS)
        self._credentials, self._region = _credentials(outputs)
        self._session = requests.Session()
        self._session.trust_env = not local  # a proxy of the environment cannot reach loopback
        adapter = HTTPAdapter(pool_connections=4, pool_maxsize=POOL_SIZE)
        self._session.mount("http://", adapter)
        self._session.mount("https://", adapter)

    def request(
        self, method: str, path: str, json: Json = None, params: Mapping[str, Json] | None = None
    ) -> tuple[int, Json]:
        """Send one request.

        Args:
            method: The HTTP method.
            path: The path, its variable parts already encoded (`encode`).
            json: The body; none if None.
            params: Query parameters; those that are None are left out.

        Returns:
            The status, below 400, and the decoded body.

        Raises:
            ApiError: The API answered with an error.
            NotRunningError: Nothing answered.
        """
        prepared = self.signed(method, path, json, params)
        try:
            settings = self._session.merge_environment_settings(prepared.url, {}, None, None, None)
            response = self._session.send(
                prepared, timeout=self._timeout, allow_redirects=False, **settings
            )
        except requests.RequestException as error:
            raise NotRunningError(self._unreachable(error)) from error
        return response.status_code, _answer(response)

    def signed(
        self, method: str, path: str, json: Json = None, params: Mapping[str, Json] | None = None
    ) -> requests.PreparedRequest:
        """Prepare and sign one request; what it returns is what must be sent, unchanged.

        A signature is good for five minutes.
        """
        prepared = requests.Request(method, self.outputs.api_url + path + _query(params)).prepare()
        if json is not None:
            # ASCII only, so that the body signed and the body sent are the same bytes.
            prepared.headers["Content-Type"] = "application/json"
            prepared.prepare_body(_encoded(json), None)
        url = str(prepared.url)
        prepared.headers.update(self.signature(method, url, prepared.body or b""))
        prepared.headers["Host"] = urlsplit(url).netloc
        prepared.url = url.replace(_origin(url), dialled(url), 1)
        return prepared

    def signature(self, method: str, url: str, body: bytes | str) -> dict[str, str]:
        """The headers that sign a request; any HTTP client may send them with it.

        Args:
            method: The HTTP method.
            url: The URL, its path and query encoded to the very characters that are sent.
            body: The body to the very byte that is sent; empty if there is none.
        """
        signing = AWSRequest(method=method, url=url, data=body)
        credentials = self._credentials.get_frozen_credentials()  # both halves of one refresh
        SigV4Auth(credentials, SIGNING_SERVICE, self._region).add_auth(signing)
        return dict(signing.headers.items())

    def _unreachable(self, error: requests.RequestException) -> str:
        url, stage = self.outputs.api_url, self.outputs.stage
        if isinstance(error, requests.Timeout):
            return f"{url} did not answer within {self._timeout:g} s."
        if not self.outputs.is_local:
            return f"{url} cannot be reached: {error}"
        # A refusal carries its cause in its text alone.
        gone = "refused" in str(error)
        what = "nothing listens there" if gone else f"the connection broke: {error}"
        return f"Stage '{stage}' is not running at {url} ({what}). {remedy(stage)}"


def encode(part: str) -> str:
    """Encode one part of a path, such as a player id.

    Raises:
        UnsendableError: The part would vanish from the path: empty, `.` or `..`.
    """
    if part in {"", ".", ".."}:
        raise UnsendableError(
            f"'{part}' cannot be part of an address, so no board or player has it."
        )
    return quote(part, safe="")


def _query(params: Mapping[str, Json] | None) -> str:
    given = {key: value for key, value in (params or {}).items() if value is not None}
    text = {k: str(v).lower() if isinstance(v, bool) else str(v) for k, v in given.items()}
    # A space as %20: AWS reads a `+` as a space and then verifies the signature over %20.
    return "?" + urlencode(sorted(text.items()), quote_via=quote) if text else ""


def _encoded(value: Json) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode("ascii")


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _credentials(outputs: Outputs) -> tuple[Credentials, str]:
    """The credentials and the region to sign with; temporary ones refresh themselves."""
    if outputs.is_local:
        return Credentials(LOCAL_KEY, LOCAL_KEY), LOCAL_REGION
    session = BotocoreSession()
    credentials = session.get_credentials()
    region = outputs.region or session.get_config_variable("region")
    if credentials is None or not region:
        missing = "credentials" if credentials is None else "region"
        raise ClientError(f"No AWS {missing} found for stage '{outputs.stage}': set AWS_PROFILE.")
    return credentials, region


def _answer(response: requests.Response) -> Json:
    try:
        body: Json = response.json() if response.content else None
    except ValueError:
        body = None if response.status_code >= 400 else response.text
    if response.status_code < 400:
        return body
    raise ApiError(response.status_code, _problem(response, body))


def _problem(response: requests.Response, body: Json) -> dict[str, Json]:
    """The problem document of an error answer, or one made from a body that is none."""
    if isinstance(body, dict) and "title" in body:
        return body
    status = response.status_code
    # The gateway's own errors: {"message": ...}, with a capital M where IAM refused.
    message = (body.get("message") or body.get("Message")) if isinstance(body, dict) else None
    return {
        "type": "about:blank",
        "title": "The gateway refused the call" if status == 403 else f"HTTP {status}",
        "status": status,
        "detail": message or response.text[:_BODY_EXCERPT] or "The answer had no body.",
        "code": "forbidden" if status == 403 else "gateway_error",
    }
