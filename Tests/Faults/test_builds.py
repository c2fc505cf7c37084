"""F25: the same journals give the same tables with every build, the debug build and the release build."""

import subprocess

import pytest
from client import until
from farm import ROOT
from load import Load
from trade import Trade

DEBUG = ROOT / ".build" / "debug"


@pytest.mark.nightly
def test_the_debug_build_projects_the_tables_of_the_release_build(own_farm, table):
    subprocess.run(["swift", "build"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    farm = own_farm().start()
    works = [Trade(farm).start(), Load(farm, gateways=1, growers=0).start()]
    until(lambda: all(work.count >= 200 or work.failures for work in works), 180, "200 acknowledged of each")
    for work in works:
        work.stop()
        work.check()
    release = farm.audited()
    farm.programs = DEBUG
    debug = farm.audited(600)
    # Between the two audits a service may have recorded journal events, so tables at one common position are compared,
    # too.
    seen = [{(view["service"], view["view"], view["position"]): view["rebuilt"] for view in found["views"]}
            for found in (release, debug)]
    both = seen[0].keys() & seen[1].keys()
    assert all(seen[0][one] == seen[1][one] for one in both)
    rows = sum(view["rows"] for view in debug["views"])
    table.add("F25", "tables of a release build, folded anew by the debug build", len(debug["views"]), None,
              f"all equal, {rows} rows; {len(both)} of them folded by both builds at one position")
    assert rows >= 500 and len(both) >= 10
