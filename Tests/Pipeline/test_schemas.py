"""`furrow schema`: every published event has a JSON Schema that its golden file keeps; one document names them all."""

import copy
import json
import subprocess

from farm import PROGRAMS, ROOT
from jsonschema import Draft202012Validator

GOLDEN = ROOT / "Tests" / "Fixtures" / "Events"


def furrow(*words: str) -> dict:
    done = subprocess.run([PROGRAMS / "furrow", "schema", *words], capture_output=True, timeout=30, check=True)
    return json.loads(done.stdout)


def changed(value):
    """The same with another kind of value; nothing where any kind will do."""
    match value:
        case bool():
            return "no"
        case int() | float():
            return str(value)
        case str():
            return 7
        case list():
            return {}
        case dict():
            return []


def test_every_golden_file_conforms_to_the_schema_of_its_event():
    schemas = furrow("--json")
    files = sorted(GOLDEN.glob("*.json"))
    refused = kept = 0
    for file in files:
        event = json.loads(file.read_text())
        schema = schemas[event["type"]]
        Draft202012Validator.check_schema(schema)
        validator = Draft202012Validator(schema)
        errors = list(validator.iter_errors(event))
        assert not errors, (file.name, errors[0].message)
        kept += 1
        for part in (event, event["data"]):
            needed = (schema if part is event else schema["properties"]["data"])["required"]
            for name in list(part):
                wrong = copy.deepcopy(event)
                target = wrong if part is event else wrong["data"]
                del target[name]
                assert validator.is_valid(wrong) != (name in needed), (file.name, name)
                refused += name in needed
                if name == "passport":
                    continue
                target[name] = changed(part[name])
                assert not validator.is_valid(wrong), (file.name, name, target[name])
                refused += 1
        other = event | {"type": "farm.furrow.trace.another.v1"}
        assert not validator.is_valid(other)
    one = furrow("farm.furrow.trace.harvested.v1")
    assert one == schemas["farm.furrow.trace.harvested.v1"]
    print(f"schemas: {kept} golden files kept, {refused} spoiled events refused")
    assert kept == len(files) == len(schemas) >= 28 and refused >= 500


def test_the_asyncapi_document_names_every_event_and_its_transport():
    document = furrow("--asyncapi")
    assert document["asyncapi"] == "3.0.0"
    assert set(document) <= {"asyncapi", "info", "defaultContentType", "channels", "operations", "components"}
    schemas = document["components"]["schemas"]
    assert set(schemas) == {file.stem for file in GOLDEN.glob("*.json")} == set(document["components"]["messages"])
    seen = []

    def resolve(value) -> None:
        if isinstance(value, dict):
            if "$ref" in value:
                target = document
                for part in value["$ref"].removeprefix("#/").split("/"):
                    target = target[part]
                seen.append(value["$ref"])
            for one in value.values():
                resolve(one)
        elif isinstance(value, list):
            for one in value:
                resolve(one)

    resolve(document)
    channel = document["channels"]["journal"]
    assert set(channel["messages"]) == set(schemas)
    assert len(document["operations"]["read"]["messages"]) == len(schemas)
    binding = channel["bindings"]["x-zeromq"]
    assert binding["binds"] == "ROUTER" and binding["kinds"]["asked"] == 6 and len(binding["frames"]) == 3
    print(f"asyncapi: {len(schemas)} events, {len(seen)} references resolved")
    assert len(seen) >= 3 * len(schemas)
