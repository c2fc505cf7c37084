#!/usr/bin/env python3
"""Counts words in the comments of Swift files, per 1,000 words of comments.

CONTRIBUTING.md says how comments are written. Prints a table, or JSON with --json. With --floor it fails if a limit is
exceeded.
"""

import argparse
import json
import re
import sys
from collections import Counter
from dataclasses import dataclass

from tools import ROOT, output

#: Words and the most that 1,000 words of comments may have of them: the figures of five other Swift codebases, doubled.
AT_MOST: dict[str, float] = {
    "tell told tells telling": 0.2,
    "whoever whatever nobody somebody everybody anybody": 0.2,
}
#: Words and the least that 1,000 words of comments must have of them.
AT_LEAST: dict[str, float] = {"return returns": 2.0}
#: Words without a limit, because domain terms use some of them.
COUNTED = [
    "room rooms house", "door desk bell ring hall shelf", "hear heard hears news", "keep keeps kept",
    "say says said", "ask asks asked", "answer answers", "fold folds folded", "anew", "twin careless bent", "life lives",
    "projection projections", "subscription subscriber", "checkpoint", "mutant",
]


@dataclass(frozen=True)
class Line:
    """The count of a group of words in one scope."""

    scope: str
    words: str
    count: int
    per_thousand: float
    is_within: bool


def comment_words(text: str) -> list[str]:
    """Returns the words of the line comments, without code between backticks."""
    found: list[str] = []
    for line in text.splitlines():
        if comment := re.match(r"\s*//+\s?(.*)", line):
            found += re.findall(r"[a-z][a-z'-]*", re.sub(r"`[^`]*`", " ", comment[1]).lower())
    return found


def measure() -> list[Line]:
    """Returns a line for each group of words, for the product and for its tests."""
    totals: dict[str, Counter[str]] = {"product": Counter(), "tests": Counter()}
    for path in output(["git", "ls-files", "-z", "*.swift"]).split("\0"):
        if path and (ROOT / path).is_file():
            totals["tests" if path.startswith("Tests/") else "product"].update(comment_words((ROOT / path).read_text()))
    lines = []
    for scope, counts in totals.items():
        total = max(1, counts.total())
        for words in [*AT_MOST, *AT_LEAST, *COUNTED]:
            count = sum(counts[word] for word in words.split())
            share = 1000 * count / total
            is_within = share <= AT_MOST.get(words, share) and share >= AT_LEAST.get(words, 0)
            lines.append(Line(scope, words, count, share, is_within))
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--floor", action="store_true", help="fail if a limit is exceeded")
    options = parser.parse_args()
    lines = measure()
    if options.json:
        print(json.dumps([vars(line) for line in lines], indent=2))
    else:
        for line in lines:
            limit = AT_MOST.get(line.words, AT_LEAST.get(line.words))
            bound = "" if limit is None else f"  {'≤' if line.words in AT_MOST else '≥'} {limit}"
            mark = "" if line.is_within else "  EXCEEDED"
            print(f"{line.scope:8} {line.words:52} {line.count:5} {line.per_thousand:7.2f}{bound}{mark}")
    if options.floor and not all(line.is_within for line in lines):
        sys.exit(1)


if __name__ == "__main__":
    main()
