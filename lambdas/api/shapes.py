"""How a route names the shape of its answer for the OpenAPI document.

Answers are built as plain dictionaries; tests hold each of them to its shape, so that no call
pays for checking what the code has just made.
"""

from typing import Any

from pydantic import BaseModel


def answers(model: type[BaseModel], description: str, status: int = 200) -> dict[int, Any]:
    """The `responses` of a route that answers with a model."""
    content = {"application/json": {"model": model}}
    return {status: {"description": description, "content": content}}
