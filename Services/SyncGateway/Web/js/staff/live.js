/** The live stream of alarms and readings. */
import { stream } from "../common/stream.js";

/**
 * Opens the stream.
 * @param {object} handlers
 * @param {(alarm: any) => void} handlers.alarm
 * @param {(acknowledgement: any) => void} [handlers.acknowledged]
 * @param {(shelving: any) => void} [handlers.shelved] an alarm that was muted until a time
 * @param {(reading: any) => void} handlers.reading
 * @param {(isOn: boolean) => void} handlers.state called when the stream connects or breaks
 * @returns {() => void} closes the stream
 */
export function listen({ alarm, acknowledged = () => {}, shelved = () => {}, reading, state }) {
    return stream("/v1/live?topics=alarms,readings", {
        open: () => state(true), error: () => state(false),
        alarm: (event) => withData(event, alarm), acknowledged: (event) => withData(event, acknowledged),
        shelved: (event) => withData(event, shelved), reading: (event) => withData(event, reading),
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
