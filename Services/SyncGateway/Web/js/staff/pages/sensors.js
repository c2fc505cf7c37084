/** The page of sensors: received radios, their places, and the limits that raise alarms. */
import { command, list } from "../../common/api.js";
import { h, when } from "../../common/dom.js";
import { form } from "../../common/form.js";
import { counted, dayAndClock, measured, number, quantityName } from "../../common/format.js";
import { groupBy } from "../../common/groups.js";
import { inSentence, t } from "../../common/language.js";
import { head, nothingYet } from "../../common/parts.js";
import { browserSensor } from "../browser-sensor.js";
import { calibrations, retirePoint } from "../calibrations.js";
import { captureFile } from "../captures.js";
import { keyButton, keyList, networkKeyButton } from "../device-keys.js";
import { loadLand } from "../farm.js";
import { gatewaySection } from "../gateways.js";
import { limitList, setLimit } from "../limits.js";
import { manualReadings } from "../manual-readings.js";
import { followChoice, freeName, shortName } from "../parts.js";
import { loadReporting } from "../reporting.js";
import { loadNetworks, zigbeeSection } from "../zigbee.js";

/** Up to this number of radios all groups are open; above it, only radios without a place. */
const fewRadios = 12;

/** Returns the page. @param {import("../main.js").Context} context */
export async function show(context) {
    const isAdministrator = context.can("administrator");
    const [land, devices, points, rules, unread, reporting, calibrated, gateways, keys, networks] = await Promise.all([
        loadLand(), list("/v1/devices"), list("/v1/points"), list("/v1/rules"), list("/v1/unread-devices"),
        loadReporting(), list("/v1/calibrations"), isAdministrator ? list("/v1/gateways") : [],
        list("/v1/device-keys"), loadNetworks()]);
    const brokers = reporting?.brokers ?? [];
    const hasPlaces = land.places.size > 0;
    return {
        title: t`Sensors`,
        content: [
            head(t`Sensors and limits`, t`Which radio measures where, and which values raise an alarm.`),
            h("section.block", null, h("h2", null, t`Radios`), radios(devices, points, land)),
            zigbeeSection(context, networks, land.zone()),
            brokers.length > 0 && h("section.block", { id: "brokers" },
                h("h2", null, t`MQTT brokers`), connections(brokers, reporting.radios ?? [], land)),
            isAdministrator && h("div.block", null, gatewaySection(context, gateways, devices, land.zone())),
            context.can("grower") && h("div.block", null, browserSensor(context)),
            unread.length > 0 && h("section.block", { id: "unread" },
                h("h2", null, t`Received, not decoded`), notUnderstood(context, unread, keys, land)),
            keys.length > 0 && h("div.block", null, keyList(context, keys, land.zone())),
            context.can("grower")
                && (hasPlaces ? h("div.card.block", null, bind(context, devices, points, land)) : needsPlaces()),
            context.can("grower") && h("section.card.block", { id: "captures" },
                h("h2", null, t`Recorded radio traffic`), captureFile(context), networkKeyButton(context)),
            context.can("grower") && points.length > 0
                && [h("div.block", null, manualReadings(context, points, land)),
                    h("div.card.block", null, retirePoint(context, points))],
            h("section.block", { id: "calibrations" }, h("h2", null, t`Calibrations`),
                calibrations(context, calibrated, devices, points, land.zone())),
            h("section.block", null, h("h2", null, t`Limits`), limitList(rules, points, land)),
            context.can("grower") && hasPlaces
                && h("div.card.block", null, setLimit(context, rules, points, land, devices)),
        ],
    };
}

function needsPlaces() {
    return nothingYet("field", t`A sensor needs a place: add a plot or a store first.`,
        h("a", { href: "#/plots" }, t`Plots`), " ", h("a", { href: "#/stores" }, t`Stores`));
}

function radios(devices, points, land) {
    if (devices.length === 0) return nothingYet("gauge", t`No radio was received yet. Switch one on near a receiver.`);
    const pointOf = new Map(points.map((point) => [point.device, point]));
    const groups = groupBy(devices, ({ device }) => pointOf.get(device)?.place ?? "");
    const order = ["", ...land.places.keys(), ...groups.keys()];
    const places = [...new Set(order)].filter((place) => groups.has(place));
    return h("div.folds", null, places.map((place) => {
        const title = place === "" ? t`Not assigned to a place yet` : land.title(place);
        return h("details.card.fold", { open: place === "" || devices.length <= fewRadios },
            h("summary", null, `${title}: ${counted(groups.get(place).length, "radio")}`),
            h("ul.rows", { role: "list" }, groups.get(place)
                .map((device) => radio(device, pointOf.get(device.device), land.zoneOf(place)))));
    }));
}

/** The connections to MQTT brokers, over which other programs pass on what their radios receive. */
function connections(brokers, troubled, land) {
    const time = (moment) => when(moment, dayAndClock(moment, land.zone()));
    return h("ul.rows", { role: "list" }, brokers.map((broker) => {
        const { source, connected, lastMessage, messages, refused, offlineDevices } = broker;
        const trouble = troubled.find((radio) => radio.source === source)?.trouble;
        return h("li", { "data-broker": source },
            h("p", null, h("span.code", null, source)),
            h("p.quiet", null, connected ? [t`Connected since `, time(connected)] : t`Not connected`,
                lastMessage && [t`, last message `, time(lastMessage)], `, ${counted(messages, "message")}.`),
            trouble && h("p.alarm-what", null, t`The broker does not work: ${trouble}.`),
            refused > 0 && h("p.quiet", null, t`${counted(refused, "message")} could not be read.`),
            offlineDevices > 0 && h("p.quiet", null, t`${counted(offlineDevices, "sensor")} reported as offline.`));
    }));
}

const whyNotUnderstood = {
    unsupported: t`This make of sensor is not supported yet.`,
    encrypted: t`It is encrypted, and its key is not known here.`,
    truncated: t`Part of the message is missing.`,
};

/** Radios whose messages could not be decoded. Raw messages are stored for a later version. */
function notUnderstood(context, unread, keys, land) {
    const withKey = new Set(keys.map(({ device }) => device));
    return h("details.card.fold", null,
        h("summary", null,
            t`${counted(unread.length, "radio")} that ${unread.length === 1 ? t`gives` : t`give`} no values`),
        h("p.quiet", null, t`One message per hour of each is stored, until a later version can decode it.`),
        h("ul.rows", { role: "list" }, unread.map(({ device, reason, last }) => h("li", { "data-device": device },
            h("p", null, h("span.code", null, device)),
            h("p.quiet", null, reasonOf(reason, withKey.has(device)), t` Last received `,
                when(last, dayAndClock(last, land.zone()))),
            reason === "encrypted" && context.can("grower") && keyButton(context, device, withKey.has(device))))));
}

function reasonOf(reason, hasKey) {
    return reason === "encrypted" && hasKey ? t`It is encrypted. If no values appear, the key that was entered is
        wrong.`
        : whyNotUnderstood[reason] ?? reason;
}

/** Returns a note about a radio's last implausible value. Such values are shown on this page only. */
function implausibleValue(refused, zone) {
    if (!refused) return null;
    const value = Number.isFinite(refused.value) ? ` ${measured(refused.value, refused.quantity, refused.unit)}` : "";
    const name = inSentence(quantityName(refused.quantity));
    return h("p.quiet", null, t`Sent an implausible value: ${name}${value}, `,
        when(refused.at, dayAndClock(refused.at, zone)), t`. It is not used. Check the sensor.`);
}

function radio({ device, readings, last, rssi, lqi, battery, model, refused }, point, zone) {
    return h("li", { "data-device": device },
        h("p", null, point && [h("strong", null, point.title), " "], h("span.code", null, device),
            model && h("span.quiet", null, ` ${model}`)),
        h("p.quiet", null, values(readings), last && [t` last received `, when(last, dayAndClock(last, zone))],
            Number.isFinite(rssi) && t`, ${number(rssi, 0)} dBm`,
            Number.isFinite(lqi) && t`, link ${number(lqi / 2.55, 0)} %`,
            Number.isFinite(battery) && !sendsBattery(readings) && t`, battery ${number(battery, 0)} %`),
        implausibleValue(refused, zone));
}

/** Whether the newest report itself has the battery; many devices send it apart. */
function sendsBattery(readings) {
    return Array.isArray(readings) && readings.some(({ quantity }) => quantity === "battery");
}

/** Formats the latest readings, which are a list or a count. */
function values(readings) {
    if (!Array.isArray(readings)) return Number.isFinite(readings) ? t`${number(readings, 0)} readings,` : "";
    const text = readings.map(({ quantity, value, unit }) =>
        `${inSentence(quantityName(quantity))} ${measured(value, quantity, unit)}`);
    return text.length > 0 ? `${text.join(", ")},` : "";
}

function bind(context, devices, points, land) {
    const taken = new Set(points.map(({ point }) => point));
    const unbound = devices.filter(({ device }) => !points.some((point) => point.device === device));
    const rest = devices.filter((device) => !unbound.includes(device));
    return form({
        name: "bind-point", title: t`Assign a radio to a place`, submit: t`Assign radio`,
        lead: t`A measuring point keeps its name when its radio is replaced.`,
        fields: [
            { name: "point", label: t`Measuring point`, type: "select",
                options: [["", t`New`], ...points.map((point) => [point.point, point.title])] },
            { name: "title", label: t`Name`, required: true, hint: t`Where exactly: Cold room, back wall.`,
                attributes: { maxlength: 200 } },
            { name: "place", label: t`Place`, type: "select", required: true, options: land.placeChoices },
            { name: "device", label: t`Radio`, type: "select", value: unbound[0]?.device ?? "",
                options: [...unbound, ...rest].map(({ device }) => [device, device]).concat([["", t`None for now`]]) },
        ],
        send: ({ point, ...values }, key) => command("PUT",
            `/v1/points/${point ?? freeName(shortName(values.title), taken)}`, values, key),
        done: (_answer, { title }) => {
            context.announce(t`${title} was assigned.`);
            return context.refresh();
        },
        prepare: (controls) => followChoice(controls.point, controls,
            (name) => points.find(({ point }) => point === name)),
    });
}
