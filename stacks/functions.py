"""One Lambda function as this service wants each of them: its own role, log group and asset."""

from collections.abc import Mapping, Sequence

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from lambdas import names
from stacks import assets
from stacks.stages import StageConfig

LOG_RETENTION = logs.RetentionDays.ONE_MONTH


class ServiceFunction(Construct):
    """A function of the service, allowed nothing but to write its own log until told more.

    Attributes:
        function: The Lambda function.
        environment: The variables it was given.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        config: StageConfig,
        name: str,
        asset: assets.Asset,
        memory_mb: int,
        timeout: Duration,
        environment: Mapping[str, str],
        description: str,
    ) -> None:
        """Declares the function, and builds its asset if the inputs are new.

        Args:
            scope: The stack.
            id: The construct's id.
            config: The stage.
            name: The function's name among `lambdas.names`, also its handler module's.
            asset: What it carries.
            memory_mb: Memory, and with it the share of a processor (1,769 MB are a whole one).
            timeout: How long one call may take.
            environment: Variables beside those that every function gets.
            description: What it does, for the console.
        """
        super().__init__(scope, id)
        target = assets.host_target() if config.on_host else assets.AWS_TARGET
        # A group of our own, not the one Lambda makes: it has a retention and goes with the stack.
        log_group = logs.LogGroup(
            self, "Logs", retention=LOG_RETENTION, removal_policy=RemovalPolicy.DESTROY
        )
        # Lambda's managed policy could write to every log group of the account.
        role = iam.Role(self, "Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
        log_group.grant_write(role)
        self.environment = _common_environment(config) | dict(environment)
        self.function = lambda_.Function(
            self,
            "Function",
            description=description,
            runtime=lambda_.Runtime(f"python{target.python}", lambda_.RuntimeFamily.PYTHON),
            architecture=_architecture(target),
            code=lambda_.Code.from_asset(str(assets.build(asset, target))),
            handler=f"lambdas.handlers.{name}.handler",
            memory_size=memory_mb,
            timeout=timeout,
            environment=self.environment,
            log_group=log_group,
            role=role,
        )

    def allow(self, actions: Sequence[str], resource: str) -> None:
        """Allows the function the named actions on one resource, and no more."""
        self.function.add_to_role_policy(
            iam.PolicyStatement(actions=list(actions), resources=[resource])
        )


def _architecture(target: assets.Target) -> lambda_.Architecture:
    arm = target.machine == "aarch64"
    return lambda_.Architecture.ARM_64 if arm else lambda_.Architecture.X86_64


def _common_environment(config: StageConfig) -> dict[str, str]:
    return {
        names.ENV_STAGE: config.name,
        "POWERTOOLS_SERVICE_NAME": names.SERVICE,
        "POWERTOOLS_METRICS_NAMESPACE": names.METRIC_NAMESPACE,
        # Set, or functions on the emulator inherit its own level and log nothing.
        "POWERTOOLS_LOG_LEVEL": "INFO",
    }
