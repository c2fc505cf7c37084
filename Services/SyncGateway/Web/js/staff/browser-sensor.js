/** The section of the page Sensors with which this browser receives a Bluetooth sensor itself. */
import { fill, h } from "../common/dom.js";
import { counted } from "../common/format.js";
import { t } from "../common/language.js";
import { Delivery, SensorTag, canConnect } from "./sensortag.js";

/** The connection lasts while the browser shows the staff's pages. @type {{tag?: SensorTag, delivery?: Delivery}} */
const link = {};

/** Returns the section. @param {import("./main.js").Context} context */
export function browserSensor(context) {
    const state = h("p.quiet", { role: "status", id: "sensortag-state" });
    const counts = h("p.quiet", { id: "sensortag-counts" });
    const buttons = h("div.action");
    const section = h("details.card.fold", { id: "sensortag", open: Boolean(link.tag) },
        h("summary", null, t`A SensorTag beside this device`));
    if (!canConnect()) {
        section.append(h("p", null, t`This browser cannot connect to Bluetooth sensors. Chrome and Edge can, on
            Android, Windows, macOS and Linux, if this page is opened by https. Without them, the program furrow-hub
            on a small computer near the sensor does the same.`));
        return section;
    }
    link.delivery ??= new Delivery(() => link.show?.());
    link.show = () => {
        const { delivered, waiting, lost } = link.delivery;
        counts.textContent = [t`${counted(delivered, "value")} delivered`, waiting > 0 && t`${waiting} waiting`,
            lost > 0 && t`${lost} lost`].filter(Boolean).join(", ");
    };
    const changed = (word, problem) => {
        state.textContent = {
            connecting: t`Connecting …`, connected: t`Connected. Keep this page open.`,
            away: t`The sensor is away; it is connected again when it returns.${problem ? ` (${problem})` : ""}`,
            ended: t`Not connected.`,
        }[word];
        fill(buttons, link.tag && !link.tag.isEnded ? end() : connect());
    };
    const connect = () => h("button.button", { type: "button", onclick: async () => {
        try {
            const device = await SensorTag.choose();
            link.tag = new SensorTag(device, link.delivery, (word, problem) => link.changed(word, problem));
            await link.tag.connect();
        } catch (error) {
            // The person closed the list of sensors.
            state.textContent = error.name === "NotFoundError" ? t`No sensor was chosen.` : error.message;
        }
    } }, t`Connect`);
    const end = () => h("button.button.button-quiet", { type: "button", onclick: () => {
        link.tag.end();
        context.announce(t`The sensor was disconnected.`);
    } }, t`Disconnect`);
    link.changed = changed;
    section.append(
        h("p", null, t`Press the sensor's button, then connect. Its temperature and humidity are received here, and
            sent to the farm every half minute. Without a connection they wait in this browser.`),
        buttons, state, counts);
    link.show();
    changed(link.tag ? link.tag.device.gatt.connected ? "connected" : "away" : "ended");
    return section;
}
