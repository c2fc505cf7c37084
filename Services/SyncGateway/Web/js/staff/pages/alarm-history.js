/** The page of all alarms of one measuring point, of a receiver, or of the goods in a store. */
import { list } from "../../common/api.js";
import { h, when } from "../../common/dom.js";
import { dayAndClock } from "../../common/format.js";
import { t } from "../../common/language.js";
import { head, nothingYet } from "../../common/parts.js";
import { acknowledgement } from "../alarm-board.js";
import { loadLand } from "../farm.js";
import { alarmSentence, noSuch, receiver } from "../parts.js";

/** Returns the page. @param {import("../main.js").Context} context @param {string} name of the point */
export async function show(context, name) {
    const [land, points, alarms] = await Promise.all([
        loadLand(), list("/v1/points"), list(`/v1/alarms/history?point=${encodeURIComponent(name)}`)]);
    const newestFirst = alarms.map((_, index) => alarms[alarms.length - 1 - index]);
    const point = points.find((one) => one.point === name);
    if (!point && alarms.length === 0) return noSuch(t`point`, "#/alarms", t`All alarms`);
    const { place } = point ?? alarms[alarms.length - 1];
    const title = point?.title ?? titleOf(alarms[0], land);
    return {
        title: t`Alarms of ${title}`,
        content: [
            head(t`Alarms of ${title}`, land.title(place)),
            alarms.length === 0 ? nothingYet("check", t`No limit was ever crossed here.`)
                : h("ol.rows", { role: "list" }, newestFirst.map((alarm) => entry(alarm, title, context, land))),
            h("p.block", null, h("a", { href: `#/${place.replace("/", "s/")}/history` }, t`Curves of this place`)),
            h("p", null, h("a", { href: "#/alarms" }, t`All alarms`)),
        ],
    };
}

/** Returns the name of what has alarms and is no measuring point. */
function titleOf({ quantity, device, place }, land) {
    return quantity === "reception" ? receiver(device) : land.title(place);
}

function entry(alarm, title, context, land) {
    const zone = land.zoneOf(alarm.place);
    const { raised, cleared, notified } = alarm;
    return h("li", null,
        h("p", null, h("strong", null, alarmSentence(alarm, title))),
        h("p.quiet", null, when(raised, dayAndClock(raised, zone)),
            cleared ? [t` to `, when(cleared, dayAndClock(cleared, zone))] : t`, still on`),
        h("p.quiet", null, notified ? [t`People were notified `, when(notified, dayAndClock(notified, zone)), ". "]
            : t`Nobody was notified. `, alarm.acknowledged && acknowledgement(alarm, context, land)));
}
