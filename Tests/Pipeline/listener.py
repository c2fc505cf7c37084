"""A stranger that listens for nodes by DNS-SD: PyPI's zeroconf. Prints the given number of them as JSON."""

import json
import sys
import threading
from typing import Any

from zeroconf import ServiceBrowser, ServiceListener, Zeroconf

TYPE = "_furrow._tcp.local."


class Listener(ServiceListener):
    """Collects what is announced."""

    def __init__(self, wanted: int):
        self.wanted = wanted
        self.found: dict[str, dict[str, Any]] = {}
        self.is_complete = threading.Event()

    def add_service(self, zc: Zeroconf, type_: str, name: str) -> None:
        info = zc.get_service_info(type_, name, 5_000)
        if info is None:
            return
        text = {key.decode(): (value or b"").decode() for key, value in info.properties.items()}
        self.found[name] = {"name": name, "port": info.port, "text": text, "bytes": len(info.text or b"")}
        if len(self.found) >= self.wanted:
            self.is_complete.set()

    update_service = add_service

    def remove_service(self, zc: Zeroconf, type_: str, name: str) -> None:
        self.found.pop(name, None)


def main() -> None:
    listener = Listener(int(sys.argv[1]))
    zeroconf = Zeroconf()
    ServiceBrowser(zeroconf, TYPE, listener)
    listener.is_complete.wait(60)
    print(json.dumps(list(listener.found.values())))
    zeroconf.close()


if __name__ == "__main__":
    main()
