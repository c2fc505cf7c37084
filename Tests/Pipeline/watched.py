"""A farm server in containers with Prometheus, and what Prometheus reports over its own API."""

from collections import Counter

from client import Client
from engine import Engine
from farm import free_port
from stack import Stack

#: The compose file that adds Prometheus.
MONITORING = "deploy/compose.monitoring.yaml"


class Watched(Stack):
    """A separate stack, so that Prometheus scrapes no other containers."""

    def __init__(self, engine: Engine):
        port = free_port()
        super().__init__(engine, "watched", [MONITORING], FURROW_PROMETHEUS_PORT=str(port))
        self.prometheus = Client(port)

    def targets(self) -> Counter:
        """Returns the number of scraped containers, by service and health."""
        found = self.prometheus.get("/api/v1/targets")["data"]["activeTargets"]
        return Counter((one["discoveredLabels"]["__meta_dns_name"], one["health"]) for one in found)

    def rules(self) -> dict[str, str]:
        """Returns the health of each rule, by name."""
        groups = self.prometheus.get("/api/v1/rules")["data"]["groups"]
        return {rule["name"]: rule["health"] for group in groups for rule in group["rules"]}

    def missing(self) -> list[str]:
        """Returns the services with a pending or firing alert."""
        alerts = self.prometheus.get("/api/v1/alerts")["data"]["alerts"]
        return [one["labels"]["service"] for one in alerts if one["labels"]["alertname"] == "FurrowServiceMissing"]
