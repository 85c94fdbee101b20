"""What Locust runs: users who take operations, and the hands that lead them.

Importing it patches the process for gevent; `python -m loadtests` starts it in one of its own.
"""

from typing import Any

from locust import events, task
from locust.contrib.fasthttp import FastHttpUser
from locust.env import Environment
from locust.runners import MasterRunner, WorkerRunner

from loadtests import run as runs
from loadtests.conductor import Conductor
from loadtests.suites import suite_of
from loadtests.worker import Worker
from ops.client import read_outputs
from ops.outputs import dialled

RUN = runs.current()
SUITE = suite_of(RUN)
OUTPUTS = read_outputs(RUN.stage)


class Player(FastHttpUser):
    """One operation in flight."""

    host = dialled(OUTPUTS.api_url)
    insecure = False  # certificates count
    max_retries = 0
    connection_timeout = network_timeout = 60.0 if OUTPUTS.is_local else 15.0
    worker: Worker

    def on_start(self) -> None:
        """Take the process's credentials to a connection of one's own."""
        self.caller = self.worker.caller.for_user(self.client)

    @task
    def work(self) -> None:
        """Wait for an operation and do it."""
        self.worker.feed.work(self.caller)


@events.init.add_listener  # type: ignore[untyped-decorator]
def on_init(environment: Environment, runner: Any, **_: Any) -> None:
    """Each process gets its part: one that leads, those that send, or both in one."""
    if not isinstance(runner, MasterRunner):
        Player.worker = Worker(environment, SUITE, OUTPUTS)
    if not isinstance(runner, WorkerRunner):
        options = environment.parsed_options
        stays = options is not None and not options.headless
        Conductor(environment, SUITE, OUTPUTS, stays=stays)
