"""Pictures of the dashboards, drawn from their own JSON with the metrics of a load on the rig."""
