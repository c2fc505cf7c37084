"""Visitors of a network: runs in a namespace of its own, reads what to do as JSON, and writes what came of it.

Each phone opens the addresses one after the other on one connection. Written are, for each response, the status, the
seconds, the SHA-256 of the body, `Cache-Status`, what a problem names as its request, and the state of a request.
"""

import hashlib
import http.client
import json
import sys
import threading
import time


def visit(given: dict, start: threading.Barrier, results: list[dict]) -> None:
    host, port, paths = given["host"], given["port"], given["paths"]
    connection = http.client.HTTPConnection(host, port, timeout=given["timeout"])
    start.wait()
    for path in paths:
        began = time.monotonic()
        try:
            connection.request("GET", path, headers={"Host": f"{host}:{port}"})
            response = connection.getresponse()
            body = response.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            results.append({"path": path, "status": 0, "error": repr(error), "seconds": time.monotonic() - began})
            continue
        result = {"path": path, "status": response.status, "seconds": time.monotonic() - began, "bytes": len(body),
                  "sha256": hashlib.sha256(body).hexdigest(), "cache": response.getheader("Cache-Status")}
        if response.status == 504 and body.startswith(b"{"):
            result["request"] = json.loads(body).get("request")
        if "/requests/" in path:
            state = json.loads(body)
            result["state"] = f"{state['state']} {state.get('status', '')}".strip()
        results.append(result)


def main() -> None:
    given = json.load(sys.stdin)
    start = threading.Barrier(given["phones"] + 1)
    results: list[dict] = []
    threads = [threading.Thread(target=visit, args=(given, start, results)) for _ in range(given["phones"])]
    for thread in threads:
        thread.start()
    start.wait()
    began = time.monotonic()
    for thread in threads:
        thread.join()
    json.dump({"seconds": time.monotonic() - began, "results": results}, sys.stdout)


main()
