"""The commands of `tally`, one module a group."""
