/** The list of notifications: who was notified of which alarm, by which channel, and how it ended. */
import { h, when } from "../common/dom.js";
import { counted, dayAndClock } from "../common/format.js";
import { t } from "../common/language.js";

const channels = { mail: t`e-mail`, webhook: t`webhook`, push: t`device` };
const states = { waiting: t`waiting`, sent: t`sent`, failed: t`not delivered`, withdrawn: t`not sent any more` };

/**
 * @param {any[]} all the items of `/v1/notifications`
 * @param {Map<string, string>} names of people @param {any} land
 */
export function notificationList(all, names, land) {
    if (all.length === 0) return h("p.quiet", null, t`No notification was sent yet.`);
    return h("ul.rows.notifications", { role: "list" }, all.map((one) => {
        const { person, to, text, state, reason, attempts, requested, place } = one;
        const name = names.get(person) ?? t`A person`;
        return h("li", { "data-state": state },
            h("p", null, h("strong", null, name), t` by ${channels[to] ?? to}: ${states[state]}`),
            h("p.quiet", null, `${text}, `, when(requested, dayAndClock(requested, land.zoneOf(place)))),
            (reason || attempts > 0) && h("p.quiet", null,
                [attempts > 0 && counted(attempts, t`failed attempt`), reason].filter(Boolean).join(": ")));
    }));
}
