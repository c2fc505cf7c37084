"""The lots of the farm as the ledger lists and finds them."""

#: What the list tells of a lot.
MEMBERS = ("lot", "gtin", "product", "plot", "farm", "grams", "left", "harvested", "parent", "handedTo", "printed")


def listed(api, given: dict) -> dict:
    """A page of those that fit: those on the farm first, of them the newest harvest first."""
    words = given.get("q", "").lower().split()
    rows = [row for row in api.farm.lots.values() if found(row, words) and given.get("plot") in (None, row["plot"])
            and given.get("from", "") <= row["harvested"] < given.get("to", "~")]
    rows.sort(key=lambda row: row["lot"])
    rows.sort(key=lambda row: row["harvested"], reverse=True)
    rows.sort(key=lambda row: "handedTo" in row)
    names = [row["lot"] for row in rows]
    first = names.index(given["after"]) + 1 if given.get("after") in names else 0
    page = names[first:first + int(given.get("limit", 200))]
    return {"items": [row_of(api, lot) for lot in page],
            "next": page[-1] if first + len(page) < len(names) else None}


def found(row: dict, words: list[str]) -> bool:
    """Whether a lot has all words in its number, product and item number, or a box of this serial number."""
    text = f"{row['lot']} {row['product']} {row['gtin']}".lower()
    return all(word in text for word in words) or any(
        box["serial"].lower() == " ".join(words) for box in row["boxList"])


def row_of(api, lot: str) -> dict:
    row = api.farm.lot(lot)
    place = next((step["place"] for step in reversed(row["custody"]) if step["what"] == "stored"), None)
    told = {name: row[name] for name in MEMBERS if row.get(name) is not None}
    told |= {"boxes": len(row["boxList"]), "alarm": bool(api.farm.alarms) and place == "store/cold1"}
    return told | ({"place": place} if place and not row.get("handedTo") else {})


def lot(api, given: dict) -> dict:
    row = api.farm.lot(given["lot"])
    children = [name for name, child in api.farm.lots.items() if child.get("parent") == given["lot"]]
    return row_of(api, given["lot"]) | {"boxList": row["boxList"], "children": children, "custody": row["custody"]}
