"""What a small farm knows, in memory: places, work, lots, sensors, people; and the passports made of it."""

import hashlib
import math
import secrets
from datetime import UTC, datetime

from signed_log import FarmLog

DOOR_OPEN = int(datetime(2026, 7, 15, 11, tzinfo=UTC).timestamp() // 3600)
UNITS = {"temperature": "Cel", "humidity": "%RH", "soil-moisture": "%", "illuminance": "lx"}


class Refused(Exception):
    """An answer that is a problem (RFC 9457)."""

    def __init__(self, status: int, code: str, detail: str):
        super().__init__(detail)
        self.status, self.code, self.detail = status, code, detail

    def body(self) -> dict:
        return {
            "type": f"urn:furrow:problem:{self.code}", "title": self.code, "status": self.status, "detail": self.detail,
        }


def text_of(time: datetime) -> str:
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def time_of(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


class FarmState:
    """Tables by name; the log holds the passports."""

    def __init__(self, now: datetime):
        self.now = now
        self.log = FarmLog()
        self.farms: dict[str, dict] = {}
        self.places: dict[str, dict] = {}
        self.activities: dict[str, dict] = {}
        self.lots: dict[str, dict] = {}
        self.points: dict[str, dict] = {}
        self.devices: list[dict] = []
        #: Points whose sensor is silent, and since when; None for one that never reported.
        self.silent: dict[str, str | None] = {}
        self.radios: list[dict] = []
        self.unread: list[dict] = []
        self.rules: dict[str, dict] = {}
        self.alarms: list[dict] = []
        self.holds: list[dict] = []
        self.passports: dict[str, tuple[str, int]] = {}
        self.gaps: set[int] = set()

    def reporting(self) -> dict:
        sensors = [point for point in self.points.values() if point.get("device")]
        silent = [{name: point[name] for name in ("point", "title", "place", "device")}
                  | ({"since": self.silent[point["point"]]} if self.silent[point["point"]] else {})
                  for point in sensors if point["point"] in self.silent]
        answer = {"at": "2026-07-20T09:30:00Z", "sensors": len(sensors), "silentSensors": len(silent), "silent": silent,
                  "limits": len(self.rules), "radios": self.radios}
        return answer | ({"withinMinutes": 12} if sensors and not silent else {})

    def tell(self, fact: str, subject: str, data: dict) -> None:
        self.log.append(f"farm.furrow.trace.{fact}.v1", subject, data, text_of(self.now))

    def place(self, name: str) -> dict:
        if name not in self.places:
            raise Refused(404, "unknown-place", f"There is no {name}.")
        return self.places[name]

    def lot(self, name: str) -> dict:
        if name not in self.lots:
            raise Refused(404, "unknown-lot", f"There is no lot {name}.")
        return self.lots[name]

    def record(self, plot: str, entry: dict) -> str:
        self.place(f"plot/{plot}")
        name = f"a{len(self.activities) + 1:04d}"
        self.activities[name] = {
            "activity": name, "plot": plot, "kind": entry["kind"], "happened": entry.get("happened", text_of(self.now)),
            "recorded": entry.get("recorded", text_of(self.now)), "details": details(entry), "corrections": [],
        }
        self.tell("activity-recorded", f"plot/{plot}", {"activity": name})
        return name

    def correct(self, name: str, entry: dict) -> None:
        if name not in self.activities:
            raise Refused(404, "unknown-activity", f"Nothing was recorded as {name}.")
        row = self.activities[name]
        row["corrections"].append({
            "kind": entry.get("kind", row["kind"]), "happened": entry.get("happened", row["happened"]),
            "recorded": entry.get("recorded", text_of(self.now)), "details": details(entry), "reason": entry["reason"],
        })
        self.tell("activity-corrected", f"plot/{row['plot']}", {"activity": name, "reason": entry["reason"]})

    def harvest(self, entry: dict) -> dict:
        place = self.place(f"plot/{entry['plot']}")
        lot = entry.get("lot") or f"L{len(self.lots) + 1:06d}"
        if lot in self.lots:
            raise Refused(409, "known", f"There is a lot {lot}.")
        at = entry.get("happened", text_of(self.now))
        gtin = entry.get("gtin") or restricted_gtin(len(self.lots) + 1)
        self.lots[lot] = {
            "lot": lot, "gtin": gtin, "product": entry["product"], "plot": entry["plot"], "farm": place["farm"],
            "grams": entry["grams"], "left": entry["grams"], "harvested": at, "boxList": [], "printed": False,
            "custody": [{"what": "harvested", "at": at, "place": f"plot/{entry['plot']}", "grams": entry["grams"]}],
        }
        self.tell("harvested", f"lot/{lot}", {"lot": lot})
        answer = {"lot": lot, "gtin": gtin, "restricted": gtin.startswith("002")}
        return answer | ({"note": "This item number is only good inside this farm."} if answer["restricted"] else {})

    def step(self, lot: str, what: str, entry: dict, **facts) -> dict:
        row = self.lot(lot)
        if row.get("handedTo"):
            raise Refused(409, "handed-over", f"Lot {lot} has left the farm.")
        step = {"what": what, "at": entry.get("happened", text_of(self.now)), **facts}
        row["custody"].append(step)
        self.tell(what, f"lot/{lot}", step)
        return row

    def take(self, lot: str, grams: int) -> None:
        row = self.lot(lot)
        if grams > row["left"]:
            raise Refused(409, "too-much", f"Only {row['left']} g of lot {lot} are left.")
        row["left"] -= grams

    def pack(self, lot: str, boxes: int, grams: int, entry: dict | None = None) -> list[str]:
        self.take(lot, boxes * grams)
        row = self.step(lot, "packed", entry or {}, boxes=boxes, grams=boxes * grams)
        serials = ["".join(secrets.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") for _ in range(13)) for _ in range(boxes)]
        first = len(row["boxList"])
        row["boxList"] += [{"serial": serial, "number": first + index + 1, "grams": grams}
                           for index, serial in enumerate(serials)]
        return serials

    def label_path(self, lot: str, serial: str | None = None) -> str:
        return self.log.label_key.path(self.lot(lot)["gtin"], lot, serial)

    def labels(self, lot: str, public_url: str | None) -> dict:
        row = self.lot(lot)
        if public_url is None:
            raise Refused(409, "public-url-unset", "Labels carry this server's public address; nobody has told it.")
        if not row["boxList"]:
            raise Refused(409, "not-packed", f"Lot {lot} has no boxes yet; pack it first.")
        row["printed"] = True
        items = [{"serial": box["serial"], "index": box["number"], "of": len(row["boxList"]), "grams": box["grams"],
                  "url": (public_url + self.label_path(lot, box["serial"])).upper()} for box in row["boxList"]]
        return {"lot": lot, "product": row["product"], "farm": self.farms[row["farm"]]["title"],
                "harvested": row["harvested"], "labels": items}

    def hours(self, place: str, quantity: str, start: datetime, end: datetime) -> list[list[float]]:
        """Plausible weather, the same each time it is asked for."""
        first, last = int(start.timestamp() // 3600), int(end.timestamp() // 3600)
        return [[hour, *weather(place, quantity, hour)] for hour in range(first, last + 1) if hour not in self.gaps]

    def passport_index(self, lot: str) -> int:
        """Where the lot's newest passport stands in the log; writes one if the story has changed."""
        passport = self.passport(lot)
        digest = hashlib.sha256(repr(passport).encode()).hexdigest()
        if lot not in self.passports or self.passports[lot][0] != digest:
            data = {"lot": lot, "hubPosition": self.log.size, "passport": passport}
            index = self.log.append("farm.furrow.trace.passport-issued.v1", f"lot/{lot}", data, text_of(self.now))
            self.passports[lot] = (digest, index)
        return self.passports[lot][1]

    def passport(self, lot: str) -> dict:
        row = self.lot(lot)
        farm = self.farms[row["farm"]]
        plot = self.place(f"plot/{row['plot']}")
        sown = min((valid(activity)["happened"] for activity in self.activities.values()
                    if activity["plot"] == row["plot"]), default=row["harvested"])
        return {
            "v": 1, "lot": lot, "gtin": row["gtin"], "product": row["product"],
            "farm": {"title": farm["title"], "country": farm.get("country"), "zone": farm["zone"]},
            "plot": {"title": plot["title"], "areaSquareMetres": plot.get("areaSquareMetres")},
            "harvested": row["harvested"], "grams": row["grams"], "boxes": len(row["boxList"]),
            **({"parent": row["parent"]} if "parent" in row else {}),
            "children": [name for name, child in self.lots.items() if child.get("parent") == lot],
            "activities": [activity_of(activity) for activity in self.activities.values()
                           if activity["plot"] == row["plot"] and valid(activity)["happened"] <= row["harvested"]],
            "custody": [step | ({"place": self.place(step["place"])["title"]} if "place" in step else {})
                        for step in row["custody"]],
            "readings": self.readings_of(row, sown),
            "alarms": [alarm | {"place": self.place(alarm["place"])["title"]} for alarm in self.alarms
                       if any(step.get("place") == alarm["place"] for step in row["custody"])],
        }

    def readings_of(self, row: dict, sown: str) -> list[dict]:
        stays = [(f"plot/{row['plot']}", "field", time_of(sown), time_of(row["harvested"]),
                  ["temperature", "soil-moisture", "illuminance"])]
        steps = row["custody"]
        for step in (step for step in steps if step["what"] == "stored"):
            ends = [time_of(other["at"]) for other in steps
                    if other["what"] in ("stored", "handed-over") and other["at"] > step["at"]]
            start = time_of(step["at"])
            stays.append((step["place"], "store", start, min([*ends, self.now]), ["temperature", "humidity"]))
        measured = {place for rule in self.points.values() if (place := rule.get("place"))}
        return [line for place, role, start, end, quantities in stays if place in measured and start < end
                for line in (self.line(place, role, quantity, start, end) for quantity in quantities)]

    def line(self, place: str, role: str, quantity: str, start: datetime, end: datetime) -> dict:
        hours = self.hours(place, quantity, start, end)
        step = next(step for step in (1, 2, 3, 6, 12, 24) if len(hours) / step < 200)
        groups: dict[float, list] = {}
        for row in hours:
            groups.setdefault(row[0] // step, []).append(row)
        joined = [[group[0][0], min(row[1] for row in group), mean(row[2] for row in group),
                   max(row[3] for row in group)] for group in groups.values()]
        return {
            "place": self.place(place)["title"], "role": role, "quantity": quantity, "unit": UNITS[quantity],
            "from": text_of(start), "to": text_of(end), "min": min(row[1] for row in hours),
            "mean": mean(row[2] for row in hours), "max": max(row[3] for row in hours), "hours": joined,
        }


def details(entry: dict) -> dict:
    return {name: entry[name] for name in ("substance", "amount", "unit", "waitingDays") if entry.get(name) is not None}


def valid(activity: dict) -> dict:
    return activity["corrections"][-1] if activity["corrections"] else activity


def activity_of(activity: dict) -> dict:
    first = {name: activity[name] for name in ("kind", "happened", "recorded", "details")}
    return first | ({"correctedTo": activity["corrections"][-1]} if activity["corrections"] else {})


def mean(values) -> float:
    values = list(values)
    return round(sum(values) / len(values), 2)


def restricted_gtin(number: int) -> str:
    body = f"002{number:010d}"
    total = sum(int(digit) * (3 if index % 2 == 0 else 1) for index, digit in enumerate(body))
    return body + str(-total % 10)


def weather(place: str, quantity: str, hour: int) -> tuple[float, float, float]:
    day = math.sin((hour % 24 - 9) / 24 * 2 * math.pi)
    noise = math.sin(hour * 0.37) + math.sin(hour * 0.11 + 1) + math.sin(hour * 0.017)
    if place.startswith("store/"):
        middle, spread = {"temperature": (4.6 + 0.5 * noise, 0.5), "humidity": (90 + 1.5 * noise, 1.5)}[quantity]
        if hour == DOOR_OPEN and quantity == "temperature":
            middle, spread = middle + 2.5, 2.3
    else:
        middle, spread = {
            "temperature": (17 + 7 * day + 1.6 * noise, 1.1), "humidity": (62 - 14 * day + 4 * noise, 4),
            "soil-moisture": (31 - (hour % 96) / 12 + noise, 0.8),
            "illuminance": (max(0.0, 42_000 * day + 9_000 + 4_000 * noise), 1_500),
        }[quantity]
    low = max(middle - spread, 0) if quantity != "temperature" else middle - spread
    return round(low, 2), round(middle, 2), round(middle + spread, 2)
