"""A simulated BlueZ for tests: what `bluez_server.py` offers, in a process of Debian's Python."""

import json
import subprocess
from pathlib import Path


class BlueZ:
    """`address` is that of its system bus."""

    def __init__(self):
        self.process = subprocess.Popen(["/usr/bin/python3", Path(__file__).with_name("bluez_server.py")], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.address: str = self.response()

    def response(self):
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, "the simulated BlueZ has ended"
        return json.loads(line)

    def do(self, name: str, *arguments):
        assert self.process.stdin
        self.process.stdin.write(json.dumps([name, *arguments]) + "\n")
        self.process.stdin.flush()
        return self.response()

    def called(self, path: str, method: str) -> list[list[str]]:
        return self.do("calls", path, method)

    def destroy(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(30)
