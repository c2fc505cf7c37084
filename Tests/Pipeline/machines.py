"""Machines of one farm, each in a network namespace of its own, in one network: its cable can be pulled."""

import ctypes
import os
import subprocess
import time
from contextlib import contextmanager

LIBC = ctypes.CDLL(None, use_errno=True)
#: CLONE_NEWNET.
NETWORK = 0x4000_0000
#: The address at which people reach the farm, whichever machine runs it.
SERVICE = "10.79.0.100"


def has_namespaces() -> bool:
    if os.geteuid() != 0:
        return False
    done = subprocess.run(["ip", "netns", "add", "furrow-try"], capture_output=True)
    subprocess.run(["ip", "netns", "delete", "furrow-try"], capture_output=True)
    return done.returncode == 0


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


@contextmanager
def inside(namespace: str):
    """Runs this thread in a namespace; threads and processes that it starts are there, too."""
    own = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    other = os.open(f"/run/netns/{namespace}", os.O_RDONLY)
    try:
        assert LIBC.setns(other, NETWORK) == 0
        yield
    finally:
        assert LIBC.setns(own, NETWORK) == 0
        os.close(own)
        os.close(other)


class Machines:
    """A switch, and the machines at it by name; `address` says where each is."""

    def __init__(self, *names: str):
        self.prefix = f"fw{time.monotonic_ns() // 1_000_000 % 100_000_000}"
        self.names = names
        self.switch = f"{self.prefix}-lan"
        ip("netns", "add", self.switch)
        ip("-n", self.switch, "link", "add", "switch", "type", "bridge")
        ip("-n", self.switch, "link", "set", "switch", "up")
        for name in names:
            space = self.space(name)
            ip("netns", "add", space)
            ip("-n", space, "link", "set", "lo", "up")
            ip("-n", space, "link", "add", "eth0", "type", "veth", "peer", "name", f"port-{name}", "netns",
               self.switch)
            ip("-n", self.switch, "link", "set", "dev", f"port-{name}", "master", "switch", "up")
            ip("-n", space, "address", "add", f"{self.address(name)}/24", "dev", "eth0")
            ip("-n", space, "link", "set", "eth0", "up")

    def space(self, name: str) -> str:
        return f"{self.prefix}-{name}"

    def address(self, name: str) -> str:
        return f"10.79.0.{1 + self.names.index(name)}"

    def within(self, name: str) -> list[str]:
        return ["ip", "netns", "exec", self.space(name)]

    def pull(self, name: str) -> None:
        """Pulls the cable of a machine, which goes on without a network."""
        ip("-n", self.switch, "link", "set", "dev", f"port-{name}", "down")

    def plug(self, name: str) -> None:
        ip("-n", self.switch, "link", "set", "dev", f"port-{name}", "up")

    def serve(self, name: str) -> None:
        """Moves the farm's address to a machine, as the operator's router does."""
        for other in self.names:
            subprocess.run(["ip", "-n", self.space(other), "address", "delete", f"{SERVICE}/24", "dev", "eth0"],
                           capture_output=True)
        ip("-n", self.space(name), "address", "add", f"{SERVICE}/24", "dev", "eth0")
        for other in self.names:
            # Fails if an entry changes during the call; it is then learnt again.
            subprocess.run(["ip", "-n", self.space(other), "neighbor", "flush", "all"], capture_output=True)

    def destroy(self) -> None:
        for name in self.names:
            ip("netns", "delete", self.space(name))
        ip("netns", "delete", self.switch)
