"""The tables: everything with a state, in a stack of its own, so that code can come and go.

The construct ids of the tables are a contract: another id is another table, without the items.
"""

from aws_cdk import CfnOutput, RemovalPolicy, Stack
from aws_cdk import aws_dynamodb as dynamodb
from constructs import Construct

from lambdas import names
from stacks.stages import StageConfig


class DataStack(Stack):
    """Scores (the source of truth, with its rank index and stream) and the tables beside it.

    Attributes:
        scores: One item a player and window; everything else is derived from its stream.
        counters: The counts, which a rebuild can make again.
        submissions: The ledger that boards of sums know a repeat by; nothing makes it again.
        boards: Configurations, layouts and hidden players.
    """

    def __init__(self, scope: Construct, id: str, *, config: StageConfig) -> None:  # noqa: A002
        """Declares the tables of one stage."""
        super().__init__(
            scope,
            id,
            description=f"Tallyboard {config.name}: tables",
            termination_protection=config.protect_all,
        )
        self._config = config
        self.scores = self._make_scores()
        self.counters = self._make_table("Counters", expires=True, protect=config.protect_all)
        self.boards = self._make_table("Boards", expires=False, protect=config.protect_all)
        # Without it repeats would be added again: it may be lost as little as the scores.
        self.submissions = self._make_table(
            "Submissions", expires=True, protect=config.protect_scores
        )
        for key, table in (
            (names.OUTPUT_SCORES_TABLE, self.scores),
            (names.OUTPUT_COUNTERS_TABLE, self.counters),
            (names.OUTPUT_BOARDS_TABLE, self.boards),
            (names.OUTPUT_SUBMISSIONS_TABLE, self.submissions),
        ):
            CfnOutput(self, key, value=table.table_name)

    def _make_scores(self) -> dynamodb.TableV2:
        return dynamodb.TableV2(
            self,
            "Scores",
            partition_key=_string(names.PK),
            billing=dynamodb.Billing.on_demand(),
            dynamo_stream=dynamodb.StreamViewType.NEW_AND_OLD_IMAGES,
            time_to_live_attribute=names.EXPIRES_AT,
            global_secondary_indexes=[
                _index(names.RANK_INDEX, names.RANK_PARTITION, _string(names.RANK_KEY)),
                # Sparse: only boards whose entries expire write its partition key.
                _index(names.EXPIRY_INDEX, names.EXPIRY_PARTITION, _number(names.ACHIEVED_AT)),
            ],
            point_in_time_recovery_specification=self._recovery(),
            deletion_protection=self._config.protect_scores,
            removal_policy=self._removal(),
        )

    def _make_table(self, id: str, *, expires: bool, protect: bool) -> dynamodb.TableV2:  # noqa: A002
        return dynamodb.TableV2(
            self,
            id,
            partition_key=_string(names.PK),
            sort_key=_string(names.SK),
            billing=dynamodb.Billing.on_demand(),
            time_to_live_attribute=names.EXPIRES_AT if expires else None,
            point_in_time_recovery_specification=self._recovery(),
            deletion_protection=protect,
            removal_policy=self._removal(),
        )

    def _recovery(self) -> dynamodb.PointInTimeRecoverySpecification:
        return dynamodb.PointInTimeRecoverySpecification(
            point_in_time_recovery_enabled=self._config.point_in_time_recovery
        )

    def _removal(self) -> RemovalPolicy:
        return RemovalPolicy.RETAIN if self._config.retain_tables else RemovalPolicy.DESTROY


def _index(
    name: str, partition_key: str, sort_key: dynamodb.Attribute
) -> dynamodb.GlobalSecondaryIndexPropsV2:
    return dynamodb.GlobalSecondaryIndexPropsV2(
        index_name=name,
        partition_key=_string(partition_key),
        sort_key=sort_key,
        # A page is decoded from the key and a count reads the smallest entry there is.
        projection_type=dynamodb.ProjectionType.KEYS_ONLY,
    )


def _string(name: str) -> dynamodb.Attribute:
    return dynamodb.Attribute(name=name, type=dynamodb.AttributeType.STRING)


def _number(name: str) -> dynamodb.Attribute:
    return dynamodb.Attribute(name=name, type=dynamodb.AttributeType.NUMBER)
