/**
 * News as they happen, over one stream of server-sent events for as long as somebody listens. A browser comes back by
 * itself after a lost connection only, not after a refusal; so a stream that breaks is opened anew in any case.
 */
const Limits = { pauseMilliseconds: 5_000, longPauseMilliseconds: 60_000 };

/**
 * @param {string} address
 * @param {Record<string, (event: any) => void>} listeners by event; `open` and `error` tell of the stream itself
 * @param {() => boolean} [isWanted] looked at before each try
 * @returns {() => void} stops listening
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
        // Another page of the same person took this stream's place: coming back at once would only take it again.
        source.addEventListener("replaced", () => {
            pause = Limits.longPauseMilliseconds;
        });
        source.addEventListener("error", () => {
            source.close();
            later();
            // Refused again and again: the server has no place for this stream just now.
            pause = Math.min(2 * pause, Limits.longPauseMilliseconds);
        });
    };
    open();
    return () => {
        clearTimeout(timer);
        source?.close();
    };
}
