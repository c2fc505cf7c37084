/**
 * A stream of server-sent events that reconnects. Browsers reconnect after a lost connection but not after a refused
 * one, so this module closes and reopens the stream after each error.
 */
const Limits = { pauseMilliseconds: 5_000, longPauseMilliseconds: 60_000 };

/**
 * Opens a stream and keeps it open.
 * @param {string} address
 * @param {Record<string, (event: any) => void>} listeners by event name; `open` and `error` concern the stream itself
 * @param {() => boolean} [isWanted] checked before each attempt to connect
 * @returns {() => void} closes the stream
 */
export function stream(address, listeners, isWanted = () => true) {
    let source = null;
    let timer = null;
    let pause = Limits.pauseMilliseconds;
    const later = () => {
        timer = setTimeout(open, pause);
    };
    const open = () => {
        if (!isWanted()) {
            later();
            return;
        }
        source = new EventSource(address);
        for (const [name, body] of Object.entries(listeners)) source.addEventListener(name, body);
        source.addEventListener("open", () => {
            pause = Limits.pauseMilliseconds;
        });
        // Another page of the same person replaced this stream. Reconnecting at once would replace that one in turn.
        source.addEventListener("replaced", () => {
            pause = Limits.longPauseMilliseconds;
        });
        source.addEventListener("error", () => {
            source.close();
            later();
            // Repeated refusals: the server has reached its limit of streams.
            pause = Math.min(2 * pause, Limits.longPauseMilliseconds);
        });
    };
    open();
    return () => {
        clearTimeout(timer);
        source?.close();
    };
}
