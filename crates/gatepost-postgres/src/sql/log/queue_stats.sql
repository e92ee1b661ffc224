SELECT counted, queued, running, outbox, oldest_due FROM gatepost_figure
