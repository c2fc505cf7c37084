"""Draws a county map for the directory: GeoJSON of county boundaries in, one small JSON file with SVG paths out.

These are the maps that are shipped, listed in `index.json`; an operator's own GeoJSON files need no drawing.

    python3 deploy/maps/counties.py BOUNDARIES.geojson[.gz] REGION [STATE-CODE] > Services/SyncGateway/Web/maps/x.json

The map is equirectangular about its middle latitude. A point is drawn at x = (longitude - west) * across and
y = (north - latitude) * up, in the units of the paths; coordinates are whole numbers, so neighbours meet exactly.
"""

import gzip
import json
import math
import sys

WIDTH = 4000


def main(source: str, region: str, state: str | None = None) -> None:
    opened = gzip.open if source.endswith(".gz") else open
    with opened(source, "rt") as file:
        features = [one for one in json.load(file)["features"] if state in (None, one["properties"].get("STATE"))]
    rings = {}
    for feature in features:
        properties, geometry = feature["properties"], feature["geometry"]
        polygons = [geometry["coordinates"]] if geometry["type"] == "Polygon" else geometry["coordinates"]
        name = properties.get("NAME") or properties["name"]
        # Some states have a city of its own beside the county of its name.
        name += " city" if properties.get("LSAD") == "city" else ""
        rings[name] = [ring for polygon in polygons for ring in polygon]
    points = [point for county in rings.values() for ring in county for point in ring]
    west, east = min(x for x, _ in points), max(x for x, _ in points)
    south, north = min(y for _, y in points), max(y for _, y in points)
    across = WIDTH / (east - west)
    up = across / math.cos(math.radians((north + south) / 2))

    def path(ring: list) -> str:
        drawn = []
        for x, y in ring[:-1]:
            point = (round((x - west) * across), round((north - y) * up))
            if not drawn or drawn[-1] != point:
                drawn.append(point)
        steps = [f"M{drawn[0][0]} {drawn[0][1]}"]
        steps += [f"l{x - a} {y - b}" for (a, b), (x, y) in zip(drawn, drawn[1:])]
        return "".join(steps) + "z"

    counties = [{"name": name, "path": "".join(path(ring) for ring in county)} for name, county in sorted(rings.items())]
    json.dump({
        "region": region, "west": west, "north": north, "across": round(across, 4), "up": round(up, 4),
        "width": WIDTH, "height": math.ceil((north - south) * up), "counties": counties,
    }, sys.stdout, ensure_ascii=False, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main(*sys.argv[1:])
