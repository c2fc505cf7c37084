"""The record of unforgivable failures.

`deploy/test` repeats failed tests, because many depend on timing, but a lost, doubled or skipped event is always an
error. A check records it here, and the run fails at its end.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BOOK = Path(__file__).resolve().parents[2] / ".build" / "unforgiven"


@contextmanager
def counting(book: Path | None = None) -> Iterator[None]:
    """Records in one line what a check within it finds."""
    try:
        yield
    except AssertionError as error:
        where = os.environ.get("PYTEST_CURRENT_TEST", "")
        with open(book or BOOK, "a") as told:
            told.write(f"{where}: {' '.join(str(error).split())[:400]}\n")
        raise
