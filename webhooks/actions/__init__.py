"""Every write to webhooks and deliveries, by topic."""
