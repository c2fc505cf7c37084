"""A farm server in containers with Prometheus among them, and what that one says over its own API from outside."""

from collections import Counter

from client import Client
from engine import Engine
from farm import free_port
from stack import Stack

#: The file that brings it along.
MONITORING = "deploy/compose.monitoring.yaml"


class Watched(Stack):
    """A stack of its own, so that nobody else is asked about."""

    def __init__(self, engine: Engine):
        port = free_port()
        super().__init__(engine, "watched", [MONITORING], FURROW_PROMETHEUS_PORT=str(port))
        self.prometheus = Client(port)

    def targets(self) -> Counter:
        """How many containers are asked, by service and what came of it."""
        found = self.prometheus.get("/api/v1/targets")["data"]["activeTargets"]
        return Counter((one["discoveredLabels"]["__meta_dns_name"], one["health"]) for one in found)

    def rules(self) -> dict[str, str]:
        """Whether each could be evaluated, by name."""
        groups = self.prometheus.get("/api/v1/rules")["data"]["groups"]
        return {rule["name"]: rule["health"] for group in groups for rule in group["rules"]}

    def missing(self) -> list[str]:
        """Which services it warns of, or is about to."""
        alerts = self.prometheus.get("/api/v1/alerts")["data"]["alerts"]
        return [one["labels"]["service"] for one in alerts if one["labels"]["alertname"] == "FurrowServiceMissing"]
