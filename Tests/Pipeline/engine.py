"""A Docker daemon for one test run, with images that are built on the spot.

No image can be fetched here, so the base images of the Dockerfiles are built: Debian's by debootstrap, Swift's by
copying this machine's toolchain onto it, if the image is compiled. `FURROW_STACK_CACHE` names a folder that caches
them for the next run.
"""

import os
import shutil
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from built_image import write_context
from client import until
from nightly import NIGHTLY

#: Whether the Dockerfile compiles the programs of the image. It takes several minutes on two cores.
COMPILES = NIGHTLY
#: Packages of the toolchain's image besides the toolchain.
SWIFT_NEEDS = [
    "binutils", "ca-certificates", "gnupg2", "libc6-dev", "libcurl4-openssl-dev", "libedit2", "libgcc-12-dev",
    "libncurses-dev", "libpython3-dev", "libsqlite3-0", "libstdc++-12-dev", "libxml2-dev", "libz3-dev", "pkg-config",
    "tzdata", "zlib1g-dev",
]
#: Parts of the toolchain that no build uses.
SWIFT_SPARES = [
    "sourcekit-lsp", "clangd", "lldb*", "docc", "swift-format", "wasmkit", "liblldb*", "llvm-cov", "llvm-objdump",
    "libsourcekitdInProc.so", "libclang.so*", "libLTO.so*", "usr/lib/swift/embedded",
    "usr/lib/swift/FrameworkABIBaseline",
]


class Engine:
    """One daemon. `start` returns once it responds; `stop` ends it and cleans up its kernel state."""

    def __init__(self):
        kept = os.environ.get("FURROW_STACK_CACHE")
        self.folder = Path(tempfile.mkdtemp(prefix="furrow-docker-"))
        self.data = Path(kept) if kept else self.folder / "data"
        self.socket = self.folder / "docker.sock"
        self.environment = os.environ | {"DOCKER_HOST": f"unix://{self.socket}", "DOCKER_BUILDKIT": "0"}
        self.process: subprocess.Popen | None = None
        self.seconds: dict[str, float] = {}
        self.had_bridge = has_bridge()
        self.forwarding = output("iptables", "-S", "FORWARD").splitlines()[0]

    def start(self) -> "Engine":
        self.data.mkdir(parents=True, exist_ok=True)
        with open(self.folder / "dockerd.log", "wb") as log:
            self.process = subprocess.Popen(
                ["dockerd", "--data-root", self.data, "--exec-root", self.folder / "exec", "--pidfile",
                 self.folder / "pid", "--host", f"unix://{self.socket}", "--config-file", self.settings()],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        until(lambda: self.process.poll() is not None or self.answers(), 60, "dockerd to respond")
        assert self.process.poll() is None, (self.folder / "dockerd.log").read_text()[-2000:]
        return self

    def settings(self) -> Path:
        """Returns an empty configuration, so that this machine's own one is not used."""
        path = self.folder / "daemon.json"
        path.write_text("{}")
        return path

    def answers(self) -> bool:
        return subprocess.run(["docker", "info"], env=self.environment, capture_output=True).returncode == 0

    def stop(self) -> None:
        if self.process is None:
            return
        self.process.terminate()
        self.process.wait(60)
        if not self.had_bridge:
            subprocess.run(["ip", "link", "delete", "docker0"], capture_output=True)
        # A daemon sets this to DROP and leaves it so.
        subprocess.run(["iptables", *self.forwarding.split()], check=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    # Commands

    def docker(self, *words, **options) -> str:
        return output("docker", *words, env=self.environment, **options)

    def timed(self, what: str, body) -> None:
        began = time.monotonic()
        body()
        self.seconds[what] = time.monotonic() - began

    # Bases

    def make_images(self, stack) -> None:
        """Builds the base images, then the stack's images; other images than Furrow's in parallel.

        The image of Furrow contains the programs that this machine has built, or with `FURROW_NIGHTLY=1` those that the
        Dockerfile compiles.
        """
        if not self.has("debian:bookworm-slim"):
            self.timed("debian base", self.make_debian)
        with ThreadPoolExecutor() as meanwhile:
            others = [meanwhile.submit(self.timed, f"{name} image", partial(stack.build, name))
                      for name in ("postgres", "prometheus")]
            if COMPILES:
                if not self.has("swift:6.3.1-bookworm"):
                    self.timed("swift base", self.make_swift)
                self.timed("furrow image", lambda: stack.build("init"))
            else:
                self.timed("furrow image", lambda: self.build_from_programs(stack))
            for other in others:
                other.result()

    def build_from_programs(self, stack) -> None:
        folder = self.folder / "image"
        write_context(folder)
        self.docker("build", "--file", folder / "Dockerfile", "--tag", stack.image, folder, timeout=900)
        shutil.rmtree(folder)

    def has(self, image: str) -> bool:
        return subprocess.run(
            ["docker", "image", "inspect", image], env=self.environment, capture_output=True).returncode == 0

    def make_debian(self) -> None:
        root = self.folder / "debian"
        output("debootstrap", "--variant=minbase", "bookworm", root, timeout=900)
        for spared in ("usr/share/doc", "usr/share/man", "usr/share/locale", "var/cache/apt", "var/lib/apt/lists"):
            shutil.rmtree(root / spared, ignore_errors=True)
        (root / "var/lib/apt/lists/partial").mkdir(parents=True)
        (root / "var/cache/apt/archives/partial").mkdir(parents=True)
        pour(["tar", "-C", root, "-c", "."], ["docker", "import", "-", "debian:bookworm-slim"], self.environment)
        shutil.rmtree(root)

    def make_swift(self) -> None:
        toolchain = Path(shutil.which("swift") or "swift").resolve().parents[1]
        name = f"toolchain-{os.getpid()}"
        self.docker(
            "run", "--name", name, "debian:bookworm-slim", "sh", "-c",
            "apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "
            + " ".join(SWIFT_NEEDS), timeout=900)
        spared = [f"--exclude={name}" for name in SWIFT_SPARES]
        pour(["tar", "-C", toolchain.parent, *spared, "-c", toolchain.name], ["docker", "cp", "-", f"{name}:/"],
             self.environment)
        self.docker("commit", name, "swift:6.3.1-bookworm", timeout=600)
        self.docker("rm", name)


def has_bridge() -> bool:
    return Path("/sys/class/net/docker0").exists()


def output(*words, timeout: float = 300, merged: bool = False, **options) -> str:
    """Returns a command's output, with standard error if `merged`; a failure always shows it."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=timeout, **options)
    said = " ".join(map(str, words))[:200]
    assert done.returncode == 0, f"{said}: {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout + done.stderr if merged else done.stdout


def pour(source: list, sink: list, environment: dict) -> None:
    """Pipes the output of one command into another; both must succeed."""
    with subprocess.Popen(source, stdout=subprocess.PIPE) as first:
        second = subprocess.run(sink, stdin=first.stdout, env=environment, capture_output=True, text=True)
        first.stdout.close()
    assert first.returncode == 0 and second.returncode == 0, f"{sink}: {second.stderr[-2000:]}"
