"""What can go wrong with a local deployment."""


class DeploymentError(Exception):
    """The local deployment does not come up; the message says why, or what to do."""


class EmulatorError(DeploymentError):
    """The emulator is missing, does not start or does not stop."""


class CdkError(DeploymentError):
    """The CDK command failed; the message holds the end of what it printed."""
