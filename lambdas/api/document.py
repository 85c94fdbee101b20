"""The API's own document, as the read function serves it.

`docs/openapi.json` is generated from the code (`python -m ops.openapi`), committed, and laid
beside this file when an asset is built; outside an asset it is read where it is committed.
"""

from functools import lru_cache
from pathlib import Path
from typing import Final

from aws_lambda_powertools.event_handler.openapi import swagger_ui

_IN_ASSET: Final = Path(__file__).with_name("openapi.json")
_COMMITTED: Final = Path(__file__).parents[2] / "docs" / "openapi.json"


@lru_cache(maxsize=1)
def served() -> str:
    """The OpenAPI document, JSON."""
    path = _IN_ASSET if _IN_ASSET.exists() else _COMMITTED
    return path.read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def page() -> str:
    """The document in Swagger UI, script and style included: it fetches nothing."""
    assets = Path(swagger_ui.__file__).parent
    return swagger_ui.generate_swagger_html(
        # Closing tags inside a string would end the script that holds it.
        served().replace("</", "<\\/"),
        (assets / "swagger-ui-bundle.min.js").read_text(encoding="utf-8"),
        (assets / "swagger-ui.min.css").read_text(encoding="utf-8"),
        "",
        None,
    )
