"""A farm server from the built programs on loopback, with a temporary home.

`FURROW_PROGRAMS` is the folder of the programs (default: `.build/release`).
"""

import fcntl
import hashlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import cluster
from client import Client, until

ROOT = Path(__file__).resolve().parents[2]
WEB = ROOT / "Services" / "SyncGateway" / "Web"
SHARED_DATA = ROOT.parent / "shared" / "data"
PROGRAMS = Path(os.environ.get("FURROW_PROGRAMS", ROOT / ".build" / "release")).resolve()
USER = "furrow"
#: Read access everywhere is retained and nothing else, so a home or checkout below a closed folder works.
DEMOTED = [
    "setpriv", "--reuid", USER, "--regid", USER, "--init-groups", "--inh-caps", "-all,+dac_read_search",
    "--ambient-caps", "-all,+dac_read_search", "--bounding-set", "-all,+dac_read_search",
]
IS_ROOT = os.geteuid() == 0
ADMINISTRATOR = {"name": "Ada Acker", "email": "ada@farm.test", "password": "correct horse battery"}


class Farm:
    """One farm server. `start` returns once it is ready; `stop` returns the seconds that its orderly stop took."""

    def __init__(
        self, *words: str, ingest: int = 1, environment: dict[str, str] | None = None, home: Path | None = None,
        programs: Path = PROGRAMS, makes_cluster: bool = False
    ):
        self.programs = programs
        #: Whether an empty home gets its database from `furrow run`, and not from the tests.
        self.makes_cluster = makes_cluster
        self.port = free_port()
        #: The default port exists once, but farms of tests run side by side.
        self.https_port = free_port()
        self.home = home or new_home()
        self.run = run_folder(self.home)
        self.web = WEB
        self.words = ["--ingest", str(ingest), *words]
        self.environment = {"FURROW_PUBLIC_URL": f"http://127.0.0.1:{self.port}"} | (environment or {})
        #: What runs its commands elsewhere, such as in a network namespace.
        self.within: list[str] = []
        self.process: subprocess.Popen | None = None
        self.said = self.home.parent / "said.txt"
        self.children: set[int] = set()
        self.token: str | None = None

    # Running

    def prepare(self) -> None:
        """Creates the folder of its sockets, which needs root."""
        if IS_ROOT:
            self.run.mkdir(parents=True, exist_ok=True)
            hand_over(self.run)
            # Alone: farms of other tests come and go below it.
            shutil.chown(self.run.parent, USER, USER)

    def launch(self, said: Path) -> subprocess.Popen:
        """Starts `furrow run`, whose output is added to a file."""
        # The environment of a shell without any setting of Furrow.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("FURROW_")}
        https = [] if "--https-port" in self.words else ["--https-port", str(self.https_port)]
        with open(said, "ab") as output:
            return subprocess.Popen(
                [*self.within, *demoted(), self.programs / "furrow", "run", "--home", self.home, "--port",
                 str(self.port), *https, "--web", self.web, *self.words],
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, cwd="/", start_new_session=True,
                env=environment | self.environment)

    def start(self, seconds: float = 120) -> "Farm":
        self.prepare()
        if not self.makes_cluster and self.home.exists() and not any(self.home.iterdir()):
            cluster.place(self.home, *demoted())
        self.said.unlink(missing_ok=True)
        self.process = self.launch(self.said)
        until(self.is_up, seconds, "`Stop it with`, the line before the last", pause=0.02)
        return self

    def is_up(self) -> bool:
        said = self.said.read_text()
        assert self.process.poll() is None, f"furrow run ended with {self.process.returncode}:\n{said}{self.logs()}"
        if not any(line.startswith("Stop it with") for line in said.splitlines()):
            return False
        self.note_children()
        return True

    def stop(self, by: int = signal.SIGTERM, seconds: float = 40) -> float:
        """Stops the farm server and returns the seconds that it took."""
        if self.process is None or self.process.poll() is not None:
            return 0.0
        self.note_children()
        began = time.monotonic()
        self.process.send_signal(by)
        self.process.wait(seconds)
        took = time.monotonic() - began
        assert self.process.returncode == 0, f"ended with {self.process.returncode}:\n{self.said.read_text()}"
        return took

    def destroy(self) -> None:
        """Ends what still runs, by the recorded process ids, and removes the home."""
        try:
            self.stop()
        except (AssertionError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
            for pid in self.children:
                if self.is_ours(pid):
                    os.kill(pid, signal.SIGKILL)
            raise
        finally:
            if not os.environ.get("FURROW_KEEP"):
                shutil.rmtree(self.home.parent, ignore_errors=True)
            if IS_ROOT:
                shutil.rmtree(self.run, ignore_errors=True)

    def note_children(self) -> None:
        if (self.home / "run.json").exists():
            told = self.run_file
            self.children |= {told["database"], *(service["pid"] for service in told["services"].values())}

    def is_ours(self, pid: int) -> bool:
        """Returns whether a process is still one of this farm's: its command line or environment names the home."""
        try:
            told = Path(f"/proc/{pid}/environ").read_bytes() + Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return False
        return os.fsencode(self.home) in told

    def told(self) -> str:
        """Returns the state and output of `furrow run`, and the end of every log."""
        ended = self.process.poll() if self.process else None
        stands = "runs" if ended is None else f"ended with {ended}"
        return f"furrow run {stands}:\n{self.said.read_text(errors='replace')}\n{self.logs()}"

    def logs(self) -> str:
        """Returns the end of every log, for failures."""
        parts = []
        for log in sorted((self.home / "logs").glob("*.log")):
            parts.append(f"--- {log.name}\n{log.read_text(errors='replace')[-1500:]}")
        return "\n".join(parts)

    # What it tells

    @property
    def run_file(self) -> dict:
        return json.loads((self.home / "run.json").read_text())

    @property
    def services(self) -> dict[str, dict]:
        return self.run_file["services"]

    def pid(self, origin: str) -> int:
        return self.services[origin]["pid"]

    def ready(self, origin: str) -> bool:
        """Returns whether `/readyz` reports readiness."""
        port = int(self.services[origin]["ops"].rsplit(":", 1)[1])
        try:
            return Client(port).call("GET", "/readyz", timeout=2).status == 200
        except OSError:
            return False

    def kill(self, origin: str) -> float:
        """Kills a service; returns the seconds until a new process of it reports readiness."""
        service = self.services[origin]
        began = time.monotonic()
        os.kill(service["pid"], signal.SIGKILL)
        port = int(service["ops"].rsplit(":", 1)[1])
        until(lambda: not os.path.exists(f"/proc/{service['pid']}/exe") or not is_alive(service["pid"]), 5,
              f"{origin} (pid {service['pid']}) to be dead", pause=0.001)
        until(lambda: answers_yes(port), 30, f"{origin} to be ready again:\n{self.logs()}", pause=0.005)
        return time.monotonic() - began

    # Calling

    def client(self, token: str | None = None) -> Client:
        return Client(self.port, token or self.token)

    def sign_in(self, person: dict = ADMINISTRATOR) -> Client:
        credentials = {"email": person["email"], "password": person["password"]}
        answer = Client(self.port).call("POST", "/v1/sessions", credentials)
        assert answer.status == 201, answer
        return Client(self.port, session_of(answer))

    def claim(self, person: dict = ADMINISTRATOR) -> Client:
        """Creates the first administrator with the link in run.json."""
        answer = Client(self.port).call("POST", "/v1/setup", {"token": self.setup_token()} | person)
        assert answer.status == 201, answer
        self.token = session_of(answer)
        return self.client()

    def setup_token(self) -> str:
        return self.run_file["setup"].split("#", 1)[1]

    # The operator's command

    def furrow(self, *words: str, seconds: float = 120, check: bool = True) -> subprocess.CompletedProcess:
        done = subprocess.run(
            [*self.within, *demoted(), self.programs / "furrow", *words, "--home", self.home], capture_output=True,
            timeout=seconds, cwd="/")
        if check:
            assert done.returncode == 0, f"furrow {' '.join(words)}: {done.returncode} {done.stderr.decode()}"
        return done

    def replay(self, origin: str = "hub") -> list[dict]:
        """Returns the stored events, parsed."""
        return [json.loads(line) for line in self.furrow("replay", "--origin", origin).stdout.splitlines()]

    def audit(self, seconds: float = 120) -> tuple[int, dict]:
        """Returns the exit code and the findings."""
        done = self.furrow("audit", "--json", check=False, seconds=seconds)
        assert done.stdout, f"audit: {done.returncode} {done.stderr.decode()}\n{self.logs()}"
        return done.returncode, json.loads(done.stdout)

    def audited(self, seconds: float = 120) -> dict:
        """Returns the findings of an audit without faults; fails with the places otherwise."""
        code, found = self.audit(seconds)
        problems = [journal for journal in found["journals"] if not journal["ok"]]
        unequal = [view for view in found["views"] if not view["equal"]]
        assert code == 0 and found["ok"], f"{code} {problems} {unequal} {found.get('missing')}"
        assert len(found["journals"]) >= 4 and len(found["views"]) >= 15
        return found

    def psql(self, statement: str) -> str:
        """Runs one statement in the ledger's database, as another program would."""
        done = subprocess.run(
            ["psql", "-h", self.run, "-p", "5432", "-U", USER, "-d", "furrow", "-AtX", "-v", "ON_ERROR_STOP=1", "-c",
             statement],
            capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, f"{statement}: {done.stderr}"
        return done.stdout.strip()


    def wipe_views(self) -> int:
        """Removes every view of a stopped farm server; returns the number of places."""
        assert self.process.poll() is not None
        wiped = 0
        for service in ("sensor-ingest", "catalog-orders", "recommender", "sync-gateway"):
            for path in sorted((self.home / service).glob("*/views.db")):
                for name in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
                    name.unlink(missing_ok=True)
                wiped += 1
        self.postgres_alone("start", "-o", f"-k {self.run} -c listen_addresses= -c port=5432")
        try:
            self.psql("DROP SCHEMA views CASCADE")
        finally:
            self.postgres_alone("stop", "-m", "fast")
        return wiped + 1

    def postgres_alone(self, order: str, *words: str) -> None:
        """Starts or stops the database of a stopped farm server."""
        subprocess.run(
            [*demoted(), "/usr/lib/postgresql/15/bin/pg_ctl", "-D", self.home / "postgres", "-w", "-s", *words, order],
            check=True, cwd="/", timeout=60, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)


def demoted() -> list[str]:
    """Postgres does not run as root: as root, all programs run as the farm server's own user."""
    return DEMOTED if IS_ROOT else []


def hand_over(path: Path | str) -> None:
    """Gives a file or folder to the farm server's user if the tests run as root; creates the user if it is missing."""
    if not IS_ROOT:
        return
    # Two processes that create the user at once would give it two numbers.
    with open("/run/lock/furrow-user", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if subprocess.run(["getent", "passwd", USER], capture_output=True).returncode != 0:
            subprocess.run(
                ["useradd", "--system", "--user-group", "--home-dir", "/var/lib/furrow", "--no-create-home", "--shell",
                 "/usr/sbin/nologin", USER], check=True)
    subprocess.run(["chown", "--recursive", f"{USER}:{USER}", path], check=True)


def new_home() -> Path:
    """Returns a folder that only the farm server's user may enter, below one that all users may enter."""
    outside = Path(tempfile.mkdtemp(prefix="furrow-pipeline-"))
    outside.chmod(0o755)
    home = outside / "home"
    home.mkdir(mode=0o700)
    hand_over(home)
    return home


def run_folder(home: Path) -> Path:
    name = hashlib.sha256(os.fsencode(home)).hexdigest()[:8]
    return Path("/run/furrow") / name if IS_ROOT else Path(f"/tmp/furrow-{os.getuid()}") / name


def free_port() -> int:
    """Returns a port below the kernel's ephemeral range, so that no other program gets it meanwhile."""
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    while True:
        port = random.randrange(10_000, lowest)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def session_of(answer) -> str:
    """Returns the session token of a response's cookie."""
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie, cookie
    return cookie.split("furrow_session=", 1)[1].split(";", 1)[0]


def is_alive(pid: int) -> bool:
    """Returns whether the process runs; one that has ended and was not waited for counts as ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def answers_yes(port: int) -> bool:
    try:
        return Client(port).call("GET", "/readyz", timeout=1).status == 200
    except OSError:
        return False
