"""The functions, the API in front of three of them and the stream behind the fourth.

Nothing here has a state: the stack can be deleted and made again. Every function is granted the
very actions that its code calls, on the very tables and indexes.
"""

from aws_cdk import CfnOutput, Duration, Stack
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from constructs import Construct

from lambdas import names
from stacks import assets
from stacks.data_stack import DataStack
from stacks.functions import ServiceFunction
from stacks.http_api import LeaderboardApi
from stacks.stages import StageConfig
from stacks.stream_consumer import FailureQueue, consume_stream

# Half a processor: an answer waits for DynamoDB, and only a cold start for Python.
HTTP_MEMORY_MB = 1_024
# One whole processor, which counting is bound by; Python would leave a second one idle.
COUNT_MEMORY_MB = 1_769
COUNT_TIMEOUT = Duration.seconds(120)
SCHEDULED_MEMORY_MB = 1_024
CLOSE_TIMEOUT = Duration.minutes(15)  # an audit reads a window's whole index
CLOSE_EVERY = Duration.minutes(5)
EXPIRE_TIMEOUT = Duration.minutes(1)  # it ends before the next one begins
EXPIRE_EVERY = Duration.minutes(1)
AUDIT_TIMEOUT = Duration.minutes(4)  # shorter than its pause: one run at a time
AUDIT_EVERY = Duration.minutes(5)


class ServiceStack(Stack):
    """Submit, read, admin and count, and what runs on a schedule, over a `DataStack`'s tables.

    Attributes:
        functions: The functions by their names in `lambdas.names`.
        api: The HTTP API with its policies.
        failures: The queue of what could not be counted.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        config: StageConfig,
        data: DataStack,
    ) -> None:
        """Declares the service of one stage over its tables."""
        super().__init__(scope, id, description=f"Tallyboard {config.name}: functions and API")
        self._config = config
        self._data = data
        self.failures = FailureQueue(self, "FailureQueue", config=config)
        self.functions = {
            names.SUBMIT: self._submit(),
            names.READ: self._read(),
            names.ADMIN: self._admin(),
            names.COUNT: self._count(),
            names.CLOSE: self._close(),
            names.EXPIRE: self._expire(),
            names.AUDIT: self._audit(),
        }
        self.api = LeaderboardApi(
            self,
            "Api",
            config=config,
            functions={name: built.function for name, built in self.functions.items()},
        )
        self._put_out()

    def _submit(self) -> ServiceFunction:
        submit = self._http_function(
            names.SUBMIT,
            "Takes scores",
            names.ENV_SCORES_TABLE,
            names.ENV_COUNTERS_TABLE,
            names.ENV_BOARDS_TABLE,
            names.ENV_SUBMISSIONS_TABLE,
        )
        data = self._data
        # A transaction has no action of its own: it takes those of the writes that it holds.
        submit.allow(
            tuple(
                f"dynamodb:{action}"
                for action in (
                    "BatchGetItem",
                    "ConditionCheckItem",
                    "DeleteItem",
                    "GetItem",
                    "UpdateItem",
                )
            ),
            data.scores.table_arn,
        )
        submit.allow(("dynamodb:UpdateItem",), data.boards.table_arn)
        submit.allow(("dynamodb:BatchGetItem", "dynamodb:PutItem"), data.submissions.table_arn)
        submit.allow(("dynamodb:BatchGetItem",), data.boards.table_arn)
        self._allow_ranking(submit)
        return submit

    def _read(self) -> ServiceFunction:
        read = self._http_function(
            names.READ,
            "Answers ranks and lists",
            names.ENV_SCORES_TABLE,
            names.ENV_COUNTERS_TABLE,
            names.ENV_BOARDS_TABLE,
        )
        read.allow(("dynamodb:BatchGetItem", "dynamodb:GetItem"), self._data.scores.table_arn)
        read.allow(("dynamodb:BatchGetItem",), self._data.boards.table_arn)
        self._allow_ranking(read)
        return read

    def _allow_ranking(self, function: ServiceFunction) -> None:
        """What a rank takes beside the player's item: index, counters and the board's config."""
        function.allow(("dynamodb:Query",), self._index(names.RANK_INDEX))
        function.allow(("dynamodb:Query",), self._data.counters.table_arn)
        function.allow(("dynamodb:GetItem",), self._data.boards.table_arn)

    def _admin(self) -> ServiceFunction:
        admin = self._http_function(
            names.ADMIN,
            "Keeps the boards, moderates and erases players",
            names.ENV_SCORES_TABLE,
            names.ENV_BOARDS_TABLE,
            names.ENV_SUBMISSIONS_TABLE,
        )
        data = self._data
        actions = ("DeleteItem", "GetItem", "PutItem", "Scan", "UpdateItem")
        admin.allow(tuple(f"dynamodb:{action}" for action in actions), data.boards.table_arn)
        admin.allow(
            ("dynamodb:BatchGetItem", "dynamodb:DeleteItem", "dynamodb:UpdateItem"),
            data.scores.table_arn,
        )
        admin.allow(("dynamodb:DeleteItem", "dynamodb:Query"), data.submissions.table_arn)
        return admin

    def _count(self) -> ServiceFunction:
        count = ServiceFunction(
            self,
            "Count",
            config=self._config,
            name=names.COUNT,
            asset=assets.COUNT,
            memory_mb=COUNT_MEMORY_MB,
            timeout=COUNT_TIMEOUT,
            environment=self._tables(names.ENV_COUNTERS_TABLE, names.ENV_BOARDS_TABLE)
            | {names.ENV_FAILURE_QUEUE_URL: self.failures.queue_url},
            description="Counts each change in the stream of scores exactly once",
        )
        data = self._data
        count.allow(("dynamodb:GetItem", "dynamodb:UpdateItem"), data.counters.table_arn)
        count.allow(("dynamodb:GetItem",), data.boards.table_arn)
        stream_arn = data.scores.table_stream_arn
        if stream_arn is None:  # pragma: no cover - the type allows it, the data stack does not
            raise ValueError("the table of scores has no stream")
        consume_stream(count, stream_arn=stream_arn, failures=self.failures)
        return count

    def _close(self) -> ServiceFunction:
        close = self._scheduled(
            names.CLOSE,
            "Makes windows that are over final, and sweeps deleted boards",
            names.ENV_SCORES_TABLE,
            names.ENV_COUNTERS_TABLE,
            names.ENV_BOARDS_TABLE,
            timeout=CLOSE_TIMEOUT,
            every=CLOSE_EVERY,
        )
        data = self._data
        close.allow(("dynamodb:Query",), self._index(names.RANK_INDEX))
        close.allow(
            ("dynamodb:BatchGetItem", "dynamodb:DeleteItem", "dynamodb:UpdateItem"),
            data.scores.table_arn,
        )
        close.allow(("dynamodb:DeleteItem", "dynamodb:Query"), data.counters.table_arn)
        reads, writes = ("BatchGetItem", "GetItem", "Query", "Scan"), ("Delete", "Put", "Update")
        actions = (*reads, *(f"{write}Item" for write in writes))
        close.allow(tuple(f"dynamodb:{action}" for action in actions), data.boards.table_arn)
        return close

    def _audit(self) -> ServiceFunction:
        audit = self._scheduled(
            names.AUDIT,
            "Holds the counters of live windows against the index, a little at a time",
            names.ENV_SCORES_TABLE,
            names.ENV_COUNTERS_TABLE,
            names.ENV_BOARDS_TABLE,
            timeout=AUDIT_TIMEOUT,
            every=AUDIT_EVERY,
        )
        audit.allow(("dynamodb:Query",), self._index(names.RANK_INDEX))
        audit.allow(("dynamodb:Query",), self._data.counters.table_arn)
        actions = ("GetItem", "PutItem", "Query", "Scan")
        audit.allow(tuple(f"dynamodb:{action}" for action in actions), self._data.boards.table_arn)
        return audit

    def _expire(self) -> ServiceFunction:
        expire = self._scheduled(
            names.EXPIRE,
            "Removes entries that are older than their board keeps them",
            names.ENV_SCORES_TABLE,
            names.ENV_BOARDS_TABLE,
            timeout=EXPIRE_TIMEOUT,
            every=EXPIRE_EVERY,
        )
        expire.allow(("dynamodb:Query",), self._index(names.EXPIRY_INDEX))
        expire.allow(("dynamodb:DeleteItem", "dynamodb:UpdateItem"), self._data.scores.table_arn)
        expire.allow(("dynamodb:Scan",), self._data.boards.table_arn)
        return expire

    def _scheduled(
        self, name: str, description: str, *tables: str, timeout: Duration, every: Duration
    ) -> ServiceFunction:
        """A function that a rule calls, and nobody else."""
        built = ServiceFunction(
            self,
            name.capitalize(),
            config=self._config,
            name=name,
            asset=assets.COUNT,
            memory_mb=SCHEDULED_MEMORY_MB,
            timeout=timeout,
            environment=self._tables(*tables),
            description=description,
        )
        events.Rule(
            self,
            f"{name.capitalize()}Schedule",
            description=description,
            schedule=events.Schedule.rate(every),
            targets=[targets.LambdaFunction(built.function)],
        )
        return built

    def _index(self, name: str) -> str:
        return f"{self._data.scores.table_arn}/index/{name}"

    def _http_function(self, name: str, description: str, *tables: str) -> ServiceFunction:
        return ServiceFunction(
            self,
            name.capitalize(),
            config=self._config,
            name=name,
            asset=assets.HTTP,
            memory_mb=HTTP_MEMORY_MB,
            timeout=Duration.seconds(self._config.http_timeout_seconds),
            environment=self._tables(*tables),
            description=description,
        )

    def _tables(self, *variables: str) -> dict[str, str]:
        data = self._data
        known = {
            names.ENV_SCORES_TABLE: data.scores.table_name,
            names.ENV_COUNTERS_TABLE: data.counters.table_name,
            names.ENV_BOARDS_TABLE: data.boards.table_name,
            names.ENV_SUBMISSIONS_TABLE: data.submissions.table_name,
        }
        return {variable: known[variable] for variable in variables}

    def _put_out(self) -> None:
        # `HttpApi.url` names amazonaws.com even on an emulator; the endpoint is what answers.
        CfnOutput(self, names.OUTPUT_API_URL, value=self.api.api.api_endpoint)
        CfnOutput(self, names.OUTPUT_FAILURE_QUEUE_URL, value=self.failures.queue_url)
        for group, policy in self.api.policies.items():
            CfnOutput(self, f"{group.capitalize()}PolicyArn", value=policy.managed_policy_arn)
        for name, built in self.functions.items():
            CfnOutput(self, f"{name.capitalize()}FunctionName", value=built.function.function_name)
