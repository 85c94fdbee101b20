"""Signs what HTTP clients other than ours send, with the rig's own key."""

from collections.abc import Generator

import httpx
import requests

from ops.client import Client


class RequestsAuth(requests.auth.AuthBase):
    """Signs what requests has prepared."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        """Adds the headers of the signature."""
        url, body = str(request.url), request.body or b""
        request.headers.update(self._client.signature(str(request.method), url, body))
        return request


class HttpxAuth(httpx.Auth):
    """Signs what httpx is about to send."""

    requires_request_body = True

    def __init__(self, client: Client) -> None:
        self._client = client

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Adds the headers of the signature."""
        headers = self._client.signature(request.method, str(request.url), request.content)
        request.headers.update(headers)
        yield request
