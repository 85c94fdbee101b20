"""Hashes that are the same in every process, version and year.

Python's own `hash` is salted a process; what is stored must be found again by another one.
"""

import base64
import hashlib


def shard_of(text: str, shards: int) -> int:
    """Spreads texts over `shards` places, evenly; the result is in [0, shards)."""
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest) % shards


def short_hash(text: str) -> str:
    """A 48-bit hash in eight characters of URL-safe base64.

    Two of 1,000 stream shards that live at once share one with a chance below 2 in 10^9.
    """
    digest = hashlib.blake2b(text.encode(), digest_size=6).digest()
    return base64.urlsafe_b64encode(digest).decode()
