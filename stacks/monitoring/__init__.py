"""What an on-call engineer sees: metrics are built here, alarms made of them, widgets laid out.

Three hands, so that a graph and the alarm it explains draw on one metric: `metrics.py` builds
metrics and `signals.py` the expressions over them, `alarm.py` and the `*_alarms.py` say when one
of them is bad.
"""
