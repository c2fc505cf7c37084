"""A stack whose volumes are lost, and one of another project with the same folder of backups."""

import re
import subprocess

from client import until
from engine import Engine
from farm import ROOT
from load import prepare
from stack import Stack

#: The project into which the README's commands restore.
PROJECT = "furrow-restored"


class Burnt:
    def __init__(self, engine: Engine, others: list[str]):
        self.others = others
        self.words = readme_words("COMPOSE_PROJECT_NAME=")
        assert len(self.words) == 5 and self.words[1] == "docker compose down", self.words
        self.stack = Stack(engine, "burnt")
        # It replaces the other stack, with the same folder and port.
        self.restored = Stack(engine, PROJECT, FURROW_BACKUPS=str(self.stack.backups), FURROW_PORT=str(self.stack.port))
        self.restored.port = self.stack.port
        self.stack.up(1, others)

    def access(self) -> tuple[int, int, int]:
        """Returns user, group and mode of the folder of backups, which the engine created."""
        about = self.stack.backups.stat()
        return about.st_uid, about.st_gid, about.st_mode & 0o777

    def back_up(self) -> tuple[list[dict], str]:
        """Returns the hub's events, and the name of a backup of them."""
        prepare(self.stack)
        self.stack.client().make(
            "POST", "/v1/lots", {"lot": "TOM-1", "product": "Tomatoes", "plot": "p1", "grams": 60_000})
        before = self.stack.replay()
        said = spoken(self.stack, self.words[0])
        return before, re.search(r"Facts: +/backups/(\S+)", said).group(1)

    def lose(self) -> None:
        self.stack.down()
        left = self.stack.engine.docker("volume", "ls", "--quiet", "--filter", "name=burnt_").split()
        assert not left, "volumes are left"

    def restore(self, name: str) -> list[dict]:
        """Restores the backup; returns the new project's hub events. Its administrator can sign in."""
        # The project's name comes from the commands themselves.
        del self.restored.environment["COMPOSE_PROJECT_NAME"]
        spoken(self.restored, "; ".join(self.words[2:4]).replace("SET", name))
        spoken(self.restored, "; ".join([self.words[2], self.words[4]]))
        self.restored.environment["COMPOSE_PROJECT_NAME"] = PROJECT
        until(lambda: self.restored.all_healthy(1 + len(self.others)), 240, "the restored stack to be healthy", pause=1)
        self.restored.sign_in()
        return self.restored.replay()

    def down(self) -> None:
        self.restored.environment["COMPOSE_PROJECT_NAME"] = PROJECT
        self.restored.down()
        self.stack.down()


def readme_words(mark: str) -> list[str]:
    """Returns the lines of the README's code block that contains `mark`."""
    blocks = (ROOT / "README.md").read_text().split("```")[1::2]
    found = [block for block in blocks if mark in block]
    assert len(found) == 1, f"{len(found)} blocks with {mark}"
    return found[0].strip().splitlines()


def spoken(stack: Stack, line: str) -> str:
    """Runs a line as typed on a terminal, with Debian's `docker-compose` as `docker compose`."""
    files = " ".join(stack.files)
    script = f'docker() {{ shift; command docker-compose {files} "$@"; }}; {line}'
    done = subprocess.run(["script", "--quiet", "--return", "--command", script, "/dev/null"], capture_output=True,
                          text=True, timeout=300, cwd=ROOT, env=stack.environment | {"SHELL": "/bin/sh"},
                          stdin=subprocess.DEVNULL)
    assert done.returncode == 0, (line, done.stdout[-3000:], done.stderr)
    return done.stdout
