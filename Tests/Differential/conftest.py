"""Formats of sensors, beside other decoders."""

import logging
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

# The peers describe every packet that they refuse.
logging.disable(logging.CRITICAL)


def pytest_terminal_summary(terminalreporter) -> None:
    """Prints what each test counted, also of tests that passed."""
    terminalreporter.section("counted")
    lines = [line for report in terminalreporter.stats.get("passed", []) if isinstance(report, pytest.TestReport)
             for line in report.capstdout.splitlines() if not line.startswith("packet_id is")]
    for line in sorted(lines):
        terminalreporter.write_line(line)
