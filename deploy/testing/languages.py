"""Compares the catalogues of languages with the texts in the code of pages and messages.

With the name of a catalogue, such as `shop.de`, it prints the texts that the catalogue lacks.
"""

import json
import re
import sys
from pathlib import Path

WEB = Path("Services/SyncGateway/Web")
#: The modules and files of the pages that share a catalogue.
PAGES = {"staff": ("js/common", "js/scan", "js/staff", "staff.html"),
         "shop": ("js/common", "js/scan", "js/shop", "js/story", "index.html", "story.html", "report.html"),
         "messages": ()}
#: Letters, notifications and reports, which the gateway writes.
WORDS = re.compile(r"""\bwords\(\s*"((?:[^"\\]|\\.)*)\"""")
QUANTITIES = Path("Shared/Vocabulary/Quantity.swift")
#: Texts that were found when this was last changed, roughly: fewer mean that they are not found any more.
FLOOR = {"staff": 1_200, "shop": 550, "messages": 60}

#: Where the languages are offered, each as the first group of a pattern.
OFFERED = {"js/common/language.js": r'\["(\w\w)", "', "../Accounts/PageLanguage.swift": r'case \w+ = "(\w\w)"'}

STARTS = re.compile(r"(?<![\w.])t`")
MARKED = re.compile(r"<\w+[^>]* data-text>([^<]+)<")
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


def message_texts() -> list[str]:
    """The texts of letters, notifications and reports; those of names in events are the names with spaces."""
    sources = [path.read_text() for path in sorted(Path("Services/SyncGateway").rglob("*.swift"))]
    found = [text.replace('\\"', '"') for source in sources for text in WORDS.findall(source)]
    quantities = re.findall(r"^    case (\w+)(?: = \"([^\"]+)\")?$", QUANTITIES.read_text(), re.MULTILINE)
    names = [(name or case).replace("-", " ") for case, name in quantities if not re.search(r"-\d$|goods", name or case)]
    return list(dict.fromkeys([*found, *names, "present", "missing", "ignored"]))


def texts(page: str) -> list[str]:
    """The texts of a page, each once, in the order of the modules."""
    if page == "messages":
        return message_texts()
    found: dict[str, None] = {}
    for place in PAGES[page]:
        files = sorted((WEB / place).rglob("*.js")) if (WEB / place).is_dir() else [WEB / place]
        for source in (file.read_text() for file in files):
            found |= dict.fromkeys(template(source, match.end()) for match in STARTS.finditer(source)
                                   if "@example" not in source[source.rfind("\n", 0, match.start()):match.start()])
            for one, many in COUNTED.findall(source):
                found |= dict.fromkeys([one, many or f"{one}s"])
            found |= dict.fromkeys(" ".join(text.split()) for text in MARKED.findall(source))
    return list(found)


def holes(text: str) -> list[str]:
    """The numbers in braces."""
    return re.findall(r"\{\d\}", text)


def faults(page: str, wanted: list[str], catalogues: dict[str, dict[str, str]]) -> list[str]:
    """What is wrong with the catalogues of a page, by their languages."""
    found = [f"{page}.{name} lacks “{text}”" for name, catalogue in catalogues.items()
             for text in wanted if text not in catalogue]
    found += [f"{page}.{name} has “{text}”, which is used nowhere" for name, catalogue in catalogues.items()
              for text in catalogue if text not in wanted]
    found += [f"{page}.{name}: “{said}” has a value that “{text}” lacks" for name, catalogue in catalogues.items()
              for text, said in catalogue.items() if not set(holes(said)) <= set(holes(text))]
    for place, language in OFFERED.items():
        other = set(re.findall(language, (WEB / place).read_text())) ^ {"en", *catalogues}
        found += [f"{name} is in {place} or has a catalogue of {page}, but not both" for name in sorted(other)]
    if len(wanted) < FLOOR[page]:
        found.append(f"fewer than {FLOOR[page]} texts of {page} were found")
    return found


def catalogue(name: str) -> dict[str, str]:
    path = WEB / "languages" / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else {}


def main(missing: str | None) -> int:
    if missing:
        print(json.dumps([text for text in texts(missing.split(".")[0]) if text not in catalogue(missing)],
                         ensure_ascii=False, indent=0))
        return 0
    problems = []
    names = sorted(path.stem for path in (WEB / "languages").glob("*.json"))
    for page in PAGES:
        wanted = texts(page)
        catalogues = {name.split(".")[1]: catalogue(name) for name in names if name.startswith(f"{page}.")}
        problems += faults(page, wanted, catalogues)
        print(f"{len(wanted)} texts of {page}, translated into {', '.join(catalogues)}")
    # A text that both have is the same in shop and staff pages.
    for language in sorted({name.split(".")[1] for name in names}):
        first, *others = catalogue(f"staff.{language}"), catalogue(f"shop.{language}")
        problems += [f"{language}: “{text}” is “{said}” on one page and “{other[text]}” on another"
                     for other in others for text, said in first.items() if other.get(text, said) != said]
    print("\n".join(dict.fromkeys(problems)))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else None))
