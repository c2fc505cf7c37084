"""A season on a small farm near Ronda: tomatoes, watered and looked after, picked, boxed, cooled and handed over."""

from datetime import UTC, datetime, timedelta

from farm_state import FarmState, text_of

NOW = datetime(2026, 7, 20, 9, 30, tzinfo=UTC)
LOT = "L260714-TOM"
GTIN = "08412345678905"


def at(month: int, day: int, hour: int = 6, minute: int = 0) -> str:
    return text_of(datetime(2026, month, day, hour, minute, tzinfo=UTC))


def sample_farm(now: datetime = NOW) -> FarmState:
    """A farm with one lot that has a full story, and a log around it."""
    farm = FarmState(now)
    farm.farms["loma"] = {"farm": "loma", "title": "Finca La Loma", "zone": "Europe/Madrid", "country": "ES"}
    farm.places["plot/south"] = {
        "plot": "south", "farm": "loma", "title": "South terrace", "crop": "Tomatoes", "areaSquareMetres": 3400}
    farm.places["plot/well"] = {"plot": "well", "farm": "loma", "title": "Field by the well", "crop": "Chard",
                                "areaSquareMetres": 12600}
    farm.places["store/cold1"] = {"store": "cold1", "farm": "loma", "title": "Cold room", "cold": True}
    farm.places["store/barn"] = {"store": "barn", "farm": "loma", "title": "Packing barn", "cold": False}
    sensors(farm)
    season(farm)
    farm.log.fill(37)
    harvest(farm)
    farm.log.fill(16)
    return farm


def sensors(farm: FarmState) -> None:
    for point, title, place, device in (
        ("p-south", "South terrace, row 4", "plot/south", "ble:c50dfa99cb9e"),
        ("p-cold", "Cold room, back wall", "store/cold1", "zb:00124b001938f2aa"),
    ):
        farm.points[point] = {"point": point, "title": title, "place": place, "device": device}
    seen = text_of(farm.now - timedelta(minutes=4))
    farm.devices = [
        {"device": "ble:c50dfa99cb9e", "format": "ruuvi5", "last": seen, "rssi": -71, "point": "p-south",
         "readings": [{"quantity": "temperature", "value": 24.31, "unit": "Cel"}]},
        {"device": "zb:00124b001938f2aa", "format": "zcl", "last": seen, "rssi": -60, "point": "p-cold",
         "readings": [{"quantity": "temperature", "value": 4.4, "unit": "Cel"}]},
        {"device": "ble:d2a3356ac1f0", "format": "ruuvi5", "last": seen, "rssi": -83,
         "readings": [{"quantity": "humidity", "value": 55.2, "unit": "%RH"}]},
    ]
    farm.rules["r-cold"] = {"rule": "r-cold", "place": "store/cold1", "quantity": "temperature", "above": 8.0,
                            "hysteresis": 0.5, "enabled": True}
    farm.alarms.append({
        "rule": "r-cold", "point": "p-cold", "place": "store/cold1", "quantity": "temperature", "value": 9.1,
        "limit": 8.0, "raised": at(7, 15, 11, 20), "cleared": at(7, 15, 12, 5)})


def season(farm: FarmState) -> None:
    work = [
        ("sowing", at(4, 2), {"substance": "Tomato ‘Rosa de Ronda’", "amount": 1.2, "unit": "kg"}),
        ("fertilising", at(4, 20), {"substance": "Composted manure", "amount": 900, "unit": "kg"}),
        ("planting", at(5, 4, 7), {"amount": 6200, "unit": "seedlings"}),
        ("weeding", at(5, 22, 6, 30), {}),
        ("plant-protection", at(6, 17, 5, 40),
         {"substance": "Copper hydroxide", "amount": 2.1, "unit": "kg", "waitingDays": 10}),
        ("weeding", at(6, 25, 6, 15), {}),
    ]
    for kind, happened, given in work:
        farm.record("south", {"kind": kind, "happened": happened, "recorded": happened, **given})
    for day in range(0, 30, 3):
        happened = text_of(datetime(2026, 5, 24, 19, tzinfo=UTC) + timedelta(days=day))
        farm.record("south", {"kind": "irrigating", "happened": happened, "recorded": happened, "amount": 12,
                              "unit": "m³", "substance": "Well water"})
    name = farm.record("south", {"kind": "fertilising", "happened": at(7, 1, 6), "recorded": at(7, 4, 17),
                                 "substance": "Nettle extract", "amount": 400, "unit": "l"})
    farm.correct(name, {"kind": "fertilising", "happened": at(7, 1, 6), "recorded": at(7, 6, 8, 30),
                        "substance": "Nettle extract", "amount": 40, "unit": "l",
                        "reason": "One zero too many: the tank holds 40 litres."})


def harvest(farm: FarmState) -> None:
    farm.harvest({"lot": LOT, "gtin": GTIN, "product": "Tomatoes ‘Rosa de Ronda’", "plot": "south", "grams": 480_000,
                  "happened": at(7, 14, 5, 30)})
    farm.pack(LOT, 60, 5_000, {"happened": at(7, 14, 8, 10)})
    farm.step(LOT, "stored", {"happened": at(7, 14, 9)}, place="store/cold1")
    farm.step(LOT, "handed-over", {"happened": at(7, 18, 4, 45)}, to="Mercado de la Encarnación, Sevilla")
