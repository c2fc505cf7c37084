"""What runs at night alone: large variants of tests, and the tests that are marked `nightly`."""

import os

import pytest

#: Whether `deploy/test --nightly` runs.
NIGHTLY = os.environ.get("FURROW_NIGHTLY") == "1"


def register(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "nightly: the test runs with FURROW_NIGHTLY=1 alone")


def deselect(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out the marked tests, which pytest counts as deselected, unless it is a nightly run."""
    later = [item for item in items if not NIGHTLY and item.get_closest_marker("nightly")]
    config.hook.pytest_deselected(items=later)
    items[:] = [item for item in items if item not in later]
