"""The HTTP API: explicit routes, signatures on all of them, and a policy for each group of callers.

The routes are those of `names.ROUTES`, so that an IAM policy can name each group by its paths.
"""

import json
import re
from collections.abc import Mapping
from typing import Final

import jsii
from aws_cdk import RemovalPolicy, Stack
from aws_cdk import aws_apigatewayv2 as apigw
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk.aws_apigateway import AccessLogFormat
from aws_cdk.aws_apigatewayv2_authorizers import HttpIamAuthorizer
from aws_cdk.aws_apigatewayv2_integrations import HttpLambdaIntegration
from constructs import Construct

from lambdas import names
from stacks.functions import LOG_RETENTION
from stacks.stages import StageConfig

GROUPS: Final = (names.SUBMIT, names.READ, names.ADMIN)


# The route, not the path: a path holds the player's id, and no erasure reaches a log.
_ACCESS_LOG_FIELDS: Final = {
    "requestId": "$context.requestId",
    "requestTime": "$context.requestTimeEpoch",
    "routeKey": "$context.routeKey",
    "status": "$context.status",
    "responseLatency": "$context.responseLatency",
    "integrationLatency": "$context.integrationLatency",
    "integrationError": "$context.integrationErrorMessage",
    "error": "$context.error.message",
    "caller": "$context.identity.userArn",
}


@jsii.implements(apigw.IAccessLogSettings)
class _AccessLogSettings:
    """Where the stage logs each request, and what: one line of JSON."""

    def __init__(self, log_group: logs.ILogGroup) -> None:
        self._log_group = log_group

    @property
    def destination(self) -> apigw.IAccessLogDestination:
        return apigw.LogGroupLogDestination(self._log_group)

    @property
    def format(self) -> AccessLogFormat:
        return AccessLogFormat.custom(json.dumps(_ACCESS_LOG_FIELDS))


class LeaderboardApi(Construct):
    """The API of one stage in front of the HTTP functions.

    Attributes:
        api: The HTTP API.
        policies: For each group of routes, the managed policy that allows calling just those.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        config: StageConfig,
        functions: Mapping[str, lambda_.IFunction],
    ) -> None:
        """Declares routes, stage and policies.

        Args:
            scope: The stack.
            id: The construct's id.
            config: The stage.
            functions: The function behind each group of routes.
        """
        super().__init__(scope, id)
        self.api = apigw.HttpApi(
            self,
            "HttpApi",
            api_name=f"Tallyboard-{config.name}",  # a label: names of APIs need not be unique
            create_default_stage=False,
            default_authorizer=HttpIamAuthorizer(),
        )
        self._add_stage(config)
        for group in GROUPS:
            self._add_routes(group, functions[group], config)
        self.policies = {group: self._policy(group) for group in GROUPS}

    def _add_stage(self, config: StageConfig) -> None:
        access_log = logs.LogGroup(
            self, "AccessLog", retention=LOG_RETENTION, removal_policy=RemovalPolicy.DESTROY
        )
        apigw.HttpStage(
            self,
            "DefaultStage",
            http_api=self.api,
            stage_name="$default",
            auto_deploy=True,
            throttle=apigw.ThrottleSettings(
                rate_limit=config.rate_per_second, burst_limit=config.burst
            ),
            access_log_settings=_AccessLogSettings(access_log),
        )

    def _add_routes(self, group: str, function: lambda_.IFunction, config: StageConfig) -> None:
        integration = HttpLambdaIntegration(
            # One permission for the API, not one a route: a function's policy has room for few.
            group.capitalize(),
            function,
            scope_permission_to_route=False,
        )
        opened = config.open_reads and group == names.READ
        self._add(names.ROUTES[group], integration, opened=opened)
        if group == names.READ:
            self._add(names.DOCS_ROUTES, integration, opened=config.open_docs)
            self._add_default_route(function, integration)

    def _add_default_route(
        self, function: lambda_.IFunction, integration: HttpLambdaIntegration
    ) -> None:
        """Paths that are nobody's get a problem answer of ours instead of the gateway's."""
        apigw.HttpRoute(
            self,
            "DefaultRoute",
            http_api=self.api,
            route_key=apigw.HttpRouteKey.DEFAULT,
            integration=integration,
        )
        # The permission made with the other routes reads stage/method/path; this one has no path.
        function.add_permission(
            "DefaultRoute",
            principal=iam.ServicePrincipal("apigateway.amazonaws.com"),
            source_arn=self._execute_arn(f"*/{names.DEFAULT_ROUTE}"),
        )

    def _add(
        self,
        routes: tuple[tuple[str, str], ...],
        integration: HttpLambdaIntegration,
        *,
        opened: bool,
    ) -> None:
        for method, path in routes:
            self.api.add_routes(
                path=path,
                methods=[apigw.HttpMethod[method]],
                integration=integration,
                authorizer=apigw.HttpNoneAuthorizer() if opened else None,
            )

    def _policy(self, group: str) -> iam.ManagedPolicy:
        return iam.ManagedPolicy(
            self,
            f"{group.capitalize()}Policy",
            description=f"Call the {group} routes of Tallyboard",
            statements=[
                iam.PolicyStatement(
                    actions=["execute-api:Invoke"],
                    resources=[self._route_arn(*route) for route in names.ROUTES[group]],
                )
            ],
        )

    def _route_arn(self, method: str, path: str) -> str:
        """The ARN of a route for any board and player: a `*` stands for each path parameter."""
        return self._execute_arn("$default/" + method + re.sub(r"\{[^}]+\}", "*", path))

    def _execute_arn(self, what: str) -> str:
        return Stack.of(self).format_arn(
            service="execute-api", resource=self.api.api_id, resource_name=what
        )
