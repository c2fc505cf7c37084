/**
 * News as it happens, over one stream of server-sent events while somebody listens.
 */

/**
 * @param {object} heard
 * @param {(alarm: any) => void} heard.alarm
 * @param {(reading: any) => void} heard.reading
 * @param {(isOn: boolean) => void} heard.state whether news arrive at the moment
 * @returns {() => void} stops listening
 */
export function listen({ alarm, reading, state }) {
    const source = new EventSource("/v1/live?topics=alarms,readings");
    source.addEventListener("open", () => state(true));
    source.addEventListener("error", () => state(false));
    source.addEventListener("alarm", (event) => withData(event, alarm));
    source.addEventListener("reading", (event) => withData(event, reading));
    return () => source.close();
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
