"""Studies: what the numbers of a layout come to, computed or modelled, seeded, with pictures."""
