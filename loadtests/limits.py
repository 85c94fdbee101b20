"""What a stage on this machine cannot show, said on a run's first line and in its evidence."""

from typing import Final

from loadtests.run import AWS, LOCAL, RIG

LIMITS: Final[dict[str, tuple[str, ...]]] = {
    AWS: (),
    RIG: (
        "Local run (DynamoDB Local, functions in one process): no throttling, hot keys, "
        "transaction conflicts, index lag, cold starts, or latency as AWS has it.",
        "Client, functions and DynamoDB share this machine, so rates and latencies are its own.",
    ),
    LOCAL: (
        "Local run (MiniStack): no throttling, hot keys, transaction conflicts, index lag or "
        "tumbling window; read units are flat and index queries slow with size.",
        "Client, functions and emulator share this machine, so rates and latencies are its own.",
    ),
}
