"""Names that more than one part of Tallyboard must spell alike; standard library only.

The stacks set what the functions read, the functions emit what the dashboards draw, and the
operator's command looks up what the stacks put out. Each such name stands here once.
"""

from typing import Final

# --- Functions: one handler module each ------------------------------------------------------
SUBMIT: Final = "submit"
READ: Final = "read"
ADMIN: Final = "admin"
COUNT: Final = "count"
CLOSE: Final = "close"
EXPIRE: Final = "expire"
AUDIT: Final = "audit"
SCHEDULED: Final = (CLOSE, EXPIRE, AUDIT)  # called by a rule, by nobody else

# --- Environment variables of the functions --------------------------------------------------
ENV_STAGE: Final = "TALLY_STAGE"
ENV_SCORES_TABLE: Final = "TALLY_SCORES_TABLE"
ENV_COUNTERS_TABLE: Final = "TALLY_COUNTERS_TABLE"
ENV_BOARDS_TABLE: Final = "TALLY_BOARDS_TABLE"
ENV_SUBMISSIONS_TABLE: Final = "TALLY_SUBMISSIONS_TABLE"
ENV_FAILURE_QUEUE_URL: Final = "TALLY_FAILURE_QUEUE_URL"

# --- Stages ----------------------------------------------------------------------------------
STAGE_LOCAL: Final = "local"
STAGE_RIG: Final = "rig"

# --- Routes: (method, path) for each HTTP function, as an HTTP API spells them ----------------
# The gateway gets exactly these; a test holds them equal to what the handlers serve.
_BOARD: Final = "/api/leaderboards/{board}"
_ADMIN_BOARD: Final = "/api/admin/leaderboards/{board}"
_ADMIN_PLAYER: Final = "/api/admin/players/{player_id}"
DOCS_ROUTES: Final = (("GET", "/api/docs"), ("GET", "/api/openapi.json"))
ROUTES: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    SUBMIT: (("POST", f"{_BOARD}/scores"), ("POST", f"{_BOARD}/scores/batch")),
    READ: (
        ("GET", _BOARD),
        ("GET", f"{_BOARD}/distribution"),
        ("GET", f"{_BOARD}/players/{{player_id}}/around"),
        ("GET", f"{_BOARD}/players/{{player_id}}/rank"),
        ("GET", f"{_BOARD}/standing"),
        ("GET", f"{_BOARD}/top"),
        ("POST", f"{_BOARD}/friends"),
        ("POST", f"{_BOARD}/ranks"),
    ),
    ADMIN: (
        ("GET", "/api/admin/leaderboards"),
        ("DELETE", _ADMIN_BOARD),
        ("GET", _ADMIN_BOARD),
        ("PUT", _ADMIN_BOARD),
        ("DELETE", f"{_ADMIN_BOARD}/players/{{player_id}}"),
        ("PUT", f"{_ADMIN_BOARD}/players/{{player_id}}/visibility"),
        ("DELETE", _ADMIN_PLAYER),
        ("GET", _ADMIN_PLAYER),
    ),
}
DEFAULT_ROUTE: Final = "$default"  # answered by the read function with a 404 of our own

# --- Tables ----------------------------------------------------------------------------------
PK: Final = "pk"
SK: Final = "sk"
RANK_INDEX: Final = "byRank"
RANK_PARTITION: Final = "rank_partition"
RANK_KEY: Final = "rank_key"
EXPIRY_INDEX: Final = "byExpiry"
EXPIRY_PARTITION: Final = "expiry_partition"
ACHIEVED_AT: Final = "achieved_at"  # ms since 1970
EXPIRES_AT: Final = "expires_at"  # TTL attribute of every table that has one, seconds since 1970

# --- Outputs of a deployment, in `.tally/<stage>.outputs.json` under the stack's name ---------
OUTPUT_API_URL: Final = "ApiUrl"
OUTPUT_SCORES_TABLE: Final = "ScoresTableName"
OUTPUT_COUNTERS_TABLE: Final = "CountersTableName"
OUTPUT_BOARDS_TABLE: Final = "BoardsTableName"
OUTPUT_SUBMISSIONS_TABLE: Final = "SubmissionsTableName"
OUTPUT_FAILURE_QUEUE_URL: Final = "FailureQueueUrl"
OUTPUT_ENDPOINT_URL: Final = "EndpointUrl"  # of DynamoDB, put out by the rig alone

# --- Metrics: PascalCase, each by service (and route), and again by stage and function --------
# Alarms and dashboards read the second set: two stages of one account must not be mixed.
METRIC_NAMESPACE: Final = "Tallyboard"
SERVICE: Final = "tallyboard"
DIMENSION_ROUTE: Final = "route"  # a gateway route such as "GET /api/leaderboards/{board}/top"
DIMENSION_STAGE: Final = "stage"
DIMENSION_FUNCTION: Final = "function"
METRIC_READ_UNITS: Final = "ReadUnits"
METRIC_SCORE_WRITE_UNITS: Final = "ScoreWriteUnits"
METRIC_INDEX_WRITE_UNITS: Final = "IndexWriteUnits"
METRIC_LEDGER_WRITE_UNITS: Final = "LedgerWriteUnits"
METRIC_COUNTER_WRITE_UNITS: Final = "CounterWriteUnits"
METRIC_RECORDS_RECEIVED: Final = "RecordsReceived"
METRIC_RECORDS_UNREADABLE: Final = "RecordsUnreadable"
METRIC_RECORDS_IGNORED: Final = "RecordsIgnored"
METRIC_NODES_WRITTEN: Final = "NodesWritten"
METRIC_STEPS_ALREADY_COUNTED: Final = "StepsAlreadyCounted"
METRIC_STORE_RETRIES: Final = "StoreRetries"
METRIC_COUNT_LAG: Final = "CountLag"
METRIC_WINDOWS_FINAL: Final = "WindowsFinal"
METRIC_WINDOWS_DRIFTING: Final = "WindowsDrifting"
METRIC_ITEMS_SWEPT: Final = "ItemsSwept"
METRIC_ENTRIES_EXPIRED: Final = "EntriesExpired"
METRIC_EXPIRY_LAG: Final = "ExpiryLag"
METRIC_AUDIT_RUNS: Final = "AuditRuns"  # of live windows that came to an end
METRIC_AUDIT_DRIFT: Final = "AuditDrift"  # cells whose counters and index differ
METRIC_AUDIT_CELLS: Final = "AuditCells"
METRIC_AUDIT_CELLS_SKIPPED: Final = "AuditCellsSkipped"
METRIC_AUDIT_PASSES: Final = "AuditPasses"
METRIC_AUDIT_READ_UNITS: Final = "AuditReadUnits"
METRIC_REQUESTS: Final = "Requests"
METRIC_SERVER_ERRORS: Final = "ServerErrors"  # calls answered 5xx, or with such a part of a batch
METRIC_THROTTLES: Final = "Throttles"  # of calls to DynamoDB that no retry of botocore helped
DIMENSION_REASON: Final = "reason"  # of throttles alone: one of DynamoDB's `ThrottlingReasons`
METRIC_CALLS_THROTTLED: Final = "CallsThrottled"  # answered 429, or with such a part of a batch
METRIC_RANGE_WIDTH: Final = "RangeWidth"  # of an estimated rank, percent of the population
METRIC_ANSWERS_EXACT_INDEX: Final = "AnswersExactIndex"
METRIC_ANSWERS_EXACT_COUNTERS: Final = "AnswersExactCounters"
METRIC_ANSWERS_ESTIMATED: Final = "AnswersEstimated"
METRIC_ANSWERS_UNRANKED: Final = "AnswersUnranked"
METRIC_OUTCOMES: Final[dict[str, str]] = {  # by what a submission did to a window
    "new": "SubmitsNew",
    "improved": "SubmitsImproved",
    "kept": "SubmitsKept",
    "replaced": "SubmitsReplaced",
    "added": "SubmitsAdded",
    "duplicate": "SubmitsDuplicate",
    "closed": "SubmitsClosed",
}

# --- Log lines that a contributor rule reads: one an update of a root -------------------------
LOG_ROOT_UPDATED: Final = "root updated"
LOG_COUNTER_ITEM: Final = "counter_item"
LOG_WRITE_UNITS: Final = "write_units"
