#!/usr/bin/env python3
"""Draws a blind sample of what people read in code: comments, test names and commit subjects.

Half of it is from this repository, half from others (folders of Git repositories). A reader who wrote none of it rates
each text as clear, odd or unclear; --count adds the ratings up. The last ratings are in Tests/Static/clarity.json.
"""

import argparse
import json
import random
import re
import subprocess
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from tools import ROOT

#: How many texts of each kind are drawn from each side.
DRAWN = {"comment": 75, "test": 45, "commit": 45}
RATINGS = ("clear", "odd", "unclear")
DOCUMENTED = re.compile(r"((?:^[ \t]*///[^\n]*\n)+)[ \t]*([^\n]+)", re.MULTILINE)
OUR_TEST = re.compile(r"@Test(?:\([^)]*\))? func `([^`]+)`")
THEIR_TEST = re.compile(r"func test([A-Z]\w+)\(|@Test\(\"([^\"]+)\"|@Test(?:\([^)]*\))?\s+func (\w+)\(")


@dataclass(frozen=True)
class Text:
    """One text to rate, and where it is from."""

    kind: str
    text: str
    source: str


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True, text=True).stdout


def swift_files(folder: Path) -> list[tuple[str, str]]:
    """The Swift files of the newest commit, but generated ones."""
    paths = [path for path in git(folder, "ls-tree", "-r", "--name-only", "HEAD").splitlines()
             if path.endswith(".swift") and "enerated" not in path]
    return [(path, git(folder, "show", f"HEAD:{path}")) for path in paths]


def comments(path: str, source: str) -> list[Text]:
    """The first paragraph of each documentation comment, above the line that it documents."""
    found = []
    for block, declaration in DOCUMENTED.findall(source):
        lines = [line.strip().removeprefix("///").strip() for line in block.strip().splitlines()]
        first = " ".join(lines[:lines.index("")] if "" in lines else lines)
        if 15 <= len(first) <= 400 and not first.startswith(("-", "|", "```")):
            found.append(Text("comment", f"{first} // {declaration.strip()[:110]}", path))
    return found


def in_words(name: str) -> str:
    """`EndpointPath` or `endpoint_path` as words."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", name).lower()


def tests(path: str, source: str) -> list[Text]:
    names = OUR_TEST.findall(source) or [in_words("".join(parts)) for parts in THEIR_TEST.findall(source)]
    return [Text("test", name, path) for name in names]


def commits(folder: Path) -> list[Text]:
    """The subjects without areas and numbers of requests, which would show whose they are."""
    found = []
    for subject in git(folder, "log", "--no-merges", "--format=%s", "-n", "250").splitlines():
        plain = re.sub(r"^[\w. +/-]{2,24}: |\s*\(#\d+\)|^\[[^]]*\]\s*", "", subject)
        found.append(Text("commit", plain[:1].upper() + plain[1:], "log"))
    return found


def draw(folder: Path, chance: random.Random, counts: dict[str, int]) -> list[Text]:
    texts: list[Text] = commits(folder)
    for path, source in swift_files(folder):
        texts += tests(path, source) if "Tests/" in path else comments(path, source)
    drawn: list[Text] = []
    for kind, count in counts.items():
        different = {one for one in texts if one.kind == kind}
        drawn += chance.sample(sorted(different, key=lambda one: (one.text, one.source)), count)
    return drawn


def sample(others: list[Path], seed: int) -> list[dict]:
    """The shuffled texts, each with its side."""
    chance = random.Random(seed)
    drawn = [asdict(text) | {"side": "ours"} for text in draw(ROOT, chance, DRAWN)]
    for index, folder in enumerate(others):
        counts = {kind: count // len(others) + (index < count % len(others)) for kind, count in DRAWN.items()}
        drawn += [asdict(text) | {"side": "others"} for text in draw(folder, chance, counts)]
    chance.shuffle(drawn)
    return [{"number": number} | text for number, text in enumerate(drawn, 1)]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seed", type=int, required=True)
    arguments.add_argument("--others", type=Path, nargs="+", required=True, help="folders of other Git repositories")
    arguments.add_argument("--sheet", type=Path, required=True, help="where the texts to rate are written")
    arguments.add_argument("--count", type=Path, help="the ratings, `number rating` a line, to add up")
    given = arguments.parse_args()
    drawn = sample(given.others, given.seed)
    given.sheet.write_text("\n".join(f"{one['number']}. [{one['kind']}] {one['text']}" for one in drawn) + "\n")
    if given.count is None:
        return
    ratings = dict(re.findall(r"^(\d+)\.?\s+(clear|odd|unclear)\b", given.count.read_text(), re.MULTILINE))
    missing = [one["number"] for one in drawn if str(one["number"]) not in ratings]
    assert not missing, f"no rating of {missing}"
    sums = {side: Counter(ratings[str(one["number"])] for one in drawn if one["side"] == side)
            for side in ("ours", "others")}
    result = {
        "seed": given.seed, "commit": git(ROOT, "rev-parse", "HEAD").strip(), "of": sum(DRAWN.values()),
        "others": [folder.resolve().parent.name.replace("+", "/") for folder in given.others],
        "counts": {side: {rating: counts[rating] for rating in RATINGS} for side, counts in sums.items()},
        "notClear": [{"kind": one["kind"], "text": one["text"], "rating": ratings[str(one["number"])]}
                     for one in drawn if one["side"] == "ours" and ratings[str(one["number"])] != "clear"],
    }
    print(json.dumps(result, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
