"""Compares the catalogues of the pages' languages with the texts of the pages.

With the name of a language, it prints the texts that its catalogue has not.
"""

import json
import re
import sys
from pathlib import Path

WEB = Path("Services/SyncGateway/Web")
#: The modules of the pages that are translated.
TRANSLATED = ("common", "scan", "staff")
#: Texts that were found when this was last changed, roughly: fewer mean that they are not found any more.
FLOOR = 1_200

#: Where the languages are offered, each as the first group of a pattern.
OFFERED = {"js/common/language.js": r'\["(\w\w)", "', "../Accounts/PageLanguage.swift": r'case \w+ = "(\w\w)"'}

STARTS = re.compile(r"(?<![\w.])t`")
COUNTED = re.compile(r"""counted\((?:[^()"]|\([^()]*\))*?,\s*"([^"]+)"(?:,\s*"([^"]+)")?\)""")


def template(source: str, start: int) -> str:
    """The key of the template whose text begins at `start`: each expression in it is a number in braces."""
    parts, depth, number, at = [], 0, 0, start
    while depth > 0 or source[at] != "`":
        if depth == 0 and source[at] == "\\":
            parts.append(source[at + 1])
            at += 2
            continue
        if depth == 0 and source.startswith("${", at):
            parts.append(f"{{{number}}}")
            number, depth, at = number + 1, 1, at + 2
            continue
        if depth > 0 and source[at] == "`":
            at = end_of(source, at + 1)
        elif depth > 0:
            depth += {"{": 1, "}": -1}.get(source[at], 0)
        else:
            parts.append(source[at])
        at += 1
    return re.sub(r"\n\s*", " ", "".join(parts))


def end_of(source: str, at: int) -> int:
    """The place of the backtick that ends a template within an expression."""
    depth = 0
    while depth > 0 or source[at] != "`":
        if source.startswith("${", at):
            depth, at = depth + 1, at + 2
            continue
        if depth > 0 and source[at] == "`":
            at = end_of(source, at + 1)
        elif depth > 0 and source[at] == "}":
            depth -= 1
        at += 1
    return at


def texts() -> list[str]:
    """The texts of the pages, each once, in the order of the modules."""
    found: dict[str, None] = {}
    for folder in TRANSLATED:
        for path in sorted((WEB / "js" / folder).rglob("*.js")):
            source = path.read_text()
            found |= dict.fromkeys(template(source, match.end()) for match in STARTS.finditer(source)
                                   if "@example" not in source[source.rfind("\n", 0, match.start()):match.start()])
            for one, many in COUNTED.findall(source):
                found |= dict.fromkeys([one, many or f"{one}s"])
    return list(found)


def holes(text: str) -> list[str]:
    """The numbers in braces."""
    return re.findall(r"\{\d\}", text)


def main(language: str | None) -> int:
    wanted = texts()
    catalogues = {path.stem: json.loads(path.read_text()) for path in sorted((WEB / "languages").glob("*.json"))}
    if language:
        print(json.dumps([text for text in wanted if text not in catalogues.get(language, {})], ensure_ascii=False,
                         indent=0))
        return 0
    problems = [f"{name}.json has no “{text}”" for name, catalogue in catalogues.items()
                for text in wanted if text not in catalogue]
    for place, language in OFFERED.items():
        other = set(re.findall(language, (WEB / place).read_text())) ^ {"en", *catalogues}
        problems += [f"{name} is in {place} or has a catalogue, but not both" for name in sorted(other)]
    problems += [f"{name}.json has “{text}”, which no page shows" for name, catalogue in catalogues.items()
                 for text in catalogue if text not in wanted]
    problems += [f"{name}.json: “{text}” has no such values as “{said}”" for name, catalogue in catalogues.items()
                 for text, said in catalogue.items() if not set(holes(said)) <= set(holes(text))]
    print("\n".join(problems) if problems else
          f"{len(wanted)} texts of the pages, translated into {', '.join(catalogues)}")
    return 1 if problems or len(wanted) < FLOOR or len(catalogues) < 2 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else None))
