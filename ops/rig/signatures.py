"""Checks SigV4 as an HTTP API does: over the request as it arrived, against one key.

The signature is computed again from the signed headers, the path and query as they were sent and
the body; an old request is refused like a forged one.
"""

import hmac
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

SERVICE: Final = "execute-api"
CLOCK_SKEW: Final = timedelta(minutes=5)
_AUTHORIZATION: Final = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(?P<key>[^/]+)/(?P<scope>[^,]+), ?"
    r"SignedHeaders=(?P<headers>[^,]+), ?Signature=(?P<signature>[0-9a-f]{64})"
)
_TIMESTAMP: Final = "%Y%m%dT%H%M%SZ"


class Verifier:
    """Knows one key and region."""

    def __init__(self, key_id: str, secret: str, region: str) -> None:
        self._credentials = Credentials(key_id, secret)
        self._region = region

    def accepts(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, now: datetime
    ) -> bool:
        """Whether a request is signed with the key, for this region and service, just now.

        Args:
            url: the whole URL, its path and query exactly as they were sent.
            headers: the request's headers by lower-case name.
            now: the time, with its zone.
        """
        found = _AUTHORIZATION.fullmatch(headers.get("authorization", ""))
        timestamp = headers.get("x-amz-date", "")
        if not found or not _is_recent(timestamp, now):
            return False
        scope = f"{timestamp[:8]}/{self._region}/{SERVICE}/aws4_request"
        if (found["key"], found["scope"]) != (self._credentials.access_key, scope):
            return False
        signed = {name: headers.get(name, "") for name in found["headers"].split(";")}
        expected = self._signature(method, url, signed, body, timestamp)
        return "host" in signed and hmac.compare_digest(expected, found["signature"])

    def _signature(
        self, method: str, url: str, signed: Mapping[str, str], body: bytes, timestamp: str
    ) -> str:
        request = AWSRequest(method=method, url=url, data=body, headers=dict(signed))
        request.context["timestamp"] = timestamp
        auth = SigV4Auth(self._credentials, SERVICE, self._region)
        to_sign = auth.string_to_sign(request, auth.canonical_request(request))
        return str(auth.signature(to_sign, request))


def _is_recent(timestamp: str, now: datetime) -> bool:
    try:
        signed_at = datetime.strptime(timestamp, _TIMESTAMP).replace(tzinfo=UTC)
    except ValueError:
        return False
    return abs(now - signed_at) <= CLOCK_SKEW
