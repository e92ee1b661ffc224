SELECT counted, queued, running, outbox, oldest_due FROM :schema.gatepost_figure
