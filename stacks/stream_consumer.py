"""How the stream of scores reaches the count function, and where what it gives up on is kept."""

import jsii
from aws_cdk import Duration
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from lambdas import names
from stacks.functions import ServiceFunction
from stacks.stages import StageConfig

STREAM_READ = ("dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator")


class FailureQueue(sqs.Queue):
    """Keeps what the count function could not count, for as long as SQS keeps anything."""

    def __init__(self, scope: Construct, id: str, *, config: StageConfig) -> None:  # noqa: A002
        """Declares the queue."""
        super().__init__(
            scope,
            id,
            retention_period=Duration.days(14),
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            # The emulator listens on plain HTTP only, and its queue must answer.
            enforce_ssl=config.name != names.STAGE_LOCAL,
        )


@jsii.implements(lambda_.IEventSourceDlq)
class _FailureDestination:
    """Where Lambda reports what it gave up on; CDK's own would grant more than sending."""

    def __init__(self, queue: FailureQueue) -> None:
        self._queue = queue

    def bind(
        self,
        target: lambda_.IEventSourceMapping,  # noqa: ARG002 - given by the interface
        target_handler: lambda_.IFunction,  # noqa: ARG002
    ) -> lambda_.DlqDestinationConfig:
        return lambda_.DlqDestinationConfig(destination=self._queue.queue_arn)


def consume_stream(count: ServiceFunction, *, stream_arn: str, failures: FailureQueue) -> None:
    """Lets the count function read a stream, batch by batch and in order.

    Args:
        count: The function.
        stream_arn: The stream of the table of scores.
        failures: Receives the place in the stream of every record that was given up on.
    """
    count.allow(STREAM_READ, stream_arn)
    count.allow(("sqs:SendMessage",), failures.queue_arn)
    # Lambda lists streams with the function's role; the action knows no resource.
    count.allow(("dynamodb:ListStreams",), "*")
    count.function.add_event_source_mapping(
        "ScoresStream",
        event_source_arn=stream_arn,
        # LATEST may miss what is written while the mapping starts.
        starting_position=lambda_.StartingPosition.TRIM_HORIZON,
        batch_size=1_000,
        max_batching_window=Duration.seconds(1),
        # Not for its state: only with a window does an event name the stream shard, on which the
        # marks of counting exactly once stand.
        tumbling_window=Duration.seconds(60),
        # More would keep the order of a key only, and is refused together with a window.
        parallelization_factor=1,
        # Without end: a batch is given up on by age alone, 4 h before the stream forgets it.
        retry_attempts=-1,
        max_record_age=Duration.hours(20),
        bisect_batch_on_error=True,
        report_batch_item_failures=True,
        on_failure=_FailureDestination(failures),
    )
