"""Load tests that testers run against a deployed stage: from outside, over its HTTP API.

Of Tallyboard's code they know the client (`ops.client`, `ops.signed`, `ops.outputs`), free ports
and the names. What imports Locust patches the whole process for gevent: that is
`loadtests.locustfile` and what only it imports, and they run in a process of their own.
"""
