/** What the staff is told as it happens. */
import { stream } from "../common/stream.js";

/**
 * @param {object} heard
 * @param {(alarm: any) => void} heard.alarm
 * @param {(reading: any) => void} heard.reading
 * @param {(isOn: boolean) => void} heard.state whether news arrive at the moment
 * @returns {() => void} stops listening
 */
export function listen({ alarm, reading, state }) {
    return stream("/v1/live?topics=alarms,readings", {
        open: () => state(true), error: () => state(false),
        alarm: (event) => withData(event, alarm), reading: (event) => withData(event, reading),
    });
}

function withData(event, body) {
    let data = null;
    try {
        data = JSON.parse(event.data);
    } catch {
        data = null;
    }
    if (data !== null && typeof data === "object") body(data);
}
