"""A small file system that can lose its power: everything that was not synced is gone.

SIGSTOP to the writers, the file system's shutdown ioctl, SIGKILL, unmount, mount again. Without the SIGSTOP the ioctl
waits for the writer, and a store without syncs looks safe.
"""

import fcntl
import os
import shutil
import signal
import struct
import subprocess
import tempfile
import time
from pathlib import Path

from client import until
from farm import IS_ROOT, hand_over, is_alive

#: FS_IOC_SHUTDOWN without flushing the file system's log.
SHUTDOWN = 0x8004587D
NO_LOG_FLUSH = struct.pack("I", 2)


def why_not() -> str | None:
    """Returns why this machine cannot simulate a power cut; None if it can."""
    if not IS_ROOT:
        return "needs root, to mount a file system"
    if not shutil.which("mkfs.ext4"):
        return "needs mkfs.ext4"
    if not Path("/dev/loop-control").exists():
        return "needs loop devices"
    return None


class Volume:
    """An ext4 file system in memory, mounted through a loop device."""

    def __init__(self, megabytes: int):
        self.folder = Path(tempfile.mkdtemp(prefix="furrow-volume-"))
        self.folder.chmod(0o755)
        self.image = Path(tempfile.mkdtemp(prefix="furrow-image-", dir="/dev/shm")) / "image"
        with open(self.image, "wb") as image:
            image.truncate(megabytes << 20)
        subprocess.run(["mkfs.ext4", "-q", "-m", "0", self.image], check=True)
        self.path = self.folder / "disk"
        self.path.mkdir()
        self.mount()
        #: The folder that the store's user may write.
        self.home = self.path / "home"
        self.home.mkdir(mode=0o700)
        hand_over(self.home)
        os.sync()

    def mount(self) -> None:
        subprocess.run(["mount", "-o", "loop", self.image, self.path], check=True)

    def unmount(self) -> None:
        until(lambda: subprocess.run(["umount", self.path], capture_output=True).returncode == 0, 10,
              f"{self.path} to be left", pause=0.01)
        # While a container starts, it briefly holds a copy of every mount. Mounted again meanwhile, the image would be
        # the same file system that was shut down: every access would give EIO.
        until(lambda: not loops(self.image), 60, f"other mount namespaces to leave {self.path}", pause=0.01)

    def cut(self, pids: list[int]) -> None:
        """Cuts the power and restores it; the processes are gone."""
        for pid in pids:
            send(pid, signal.SIGSTOP)
        # Includes processes that were forked meanwhile; from now on none can fork.
        pids = sorted({one for pid in pids for one in family(pid)})
        for pid in pids:
            send(pid, signal.SIGSTOP)
        until(lambda: all(is_still(pid) for pid in pids), 5, "all processes to stop", pause=0.001)
        folder = os.open(self.path, os.O_RDONLY)
        fcntl.ioctl(folder, SHUTDOWN, NO_LOG_FLUSH)
        os.close(folder)
        for pid in pids:
            send(pid, signal.SIGKILL)
        until(lambda: not any(is_alive(pid) for pid in pids), 10, "all processes to be gone", pause=0.001)
        self.unmount()
        self.mount()

    @property
    def free(self) -> int:
        told = os.statvfs(self.path)
        return told.f_bavail * told.f_frsize

    def destroy(self) -> None:
        if os.path.ismount(self.path):
            self.unmount()
        shutil.rmtree(self.image.parent, ignore_errors=True)
        shutil.rmtree(self.folder, ignore_errors=True)


def loops(image: Path) -> str:
    """Returns the loop devices of an image."""
    return subprocess.run(["losetup", "--associated", image], capture_output=True, text=True, check=True).stdout


def send(pid: int, which: int) -> None:
    try:
        os.kill(pid, which)
    except ProcessLookupError:
        pass


def is_still(pid: int) -> bool:
    """Returns whether every thread of the process is stopped, or there is none."""
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
        return all((one / "stat").read_text().rsplit(")", 1)[1].split()[0] in "TtZX" for one in threads)
    except OSError:
        return True


def family(pid: int) -> list[int]:
    """Returns a process and all its descendants, the eldest first."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, ValueError):
                continue
            parents.setdefault(parent, []).append(int(entry.name))
    found, waiting = [], [pid]
    while waiting:
        one = waiting.pop(0)
        found.append(one)
        waiting += parents.get(one, [])
    return found


def wait_gone(process: subprocess.Popen | None, seconds: float = 10) -> int:
    assert process, "it was never started"
    end = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < end:
        time.sleep(0.002)
    assert process.returncode is not None, f"{process.args} still runs after {seconds} s"
    return process.returncode
