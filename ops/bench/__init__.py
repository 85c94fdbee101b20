"""Benchmarks on the official local engine: what DynamoDB counts, not how fast this machine is."""
