"""How an import or an export ends early."""

from ops.errors import ClientError


class TransferError(ClientError):
    """An import or export could not be made, or not to its end."""

    code = "transfer_failed"
    title = "The transfer could not be made"


class TransferUsageError(TransferError):
    """What was asked does not fit the file or the board; nothing was written."""

    exit_code = 2
    code = "wrong_usage"


class TransferStoppedError(TransferError):
    """The operator stopped it."""

    exit_code = 130  # as a shell has it for an interrupt
    code = "stopped"
