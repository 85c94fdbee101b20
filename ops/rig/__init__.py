"""The rig: DynamoDB Local, the official engine, for tests, benchmarks and load on one machine."""
