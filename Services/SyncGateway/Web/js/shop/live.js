/** Pulls when the server signals a change. */
import { withLock } from "../common/storage.js";
import { stream } from "../common/stream.js";

const Limits = { spreadMilliseconds: 2_000 };

/**
 * Follows the server's signals. One tab has the stream for all tabs, as browsers limit the connections to a server.
 * Pulls of visitors without an account are spread over two seconds to limit the load.
 * @param {{isOnline: () => boolean, hasAccount: () => boolean, sync: () => Promise<void>}} shop
 */
export function followSignals({ isOnline, hasAccount, sync }) {
    withLock("furrow-live", () => new Promise(() => {
        let isDue = false;
        const changed = () => {
            if (isDue) return;
            isDue = true;
            setTimeout(() => {
                isDue = false;
                sync();
            }, hasAccount() ? 0 : Math.random() * Limits.spreadMilliseconds);
        };
        let wasOpen = false;
        // Signals are not repeated: what changed while the stream was interrupted is pulled when it opens again.
        const open = () => {
            if (wasOpen) changed();
            wasOpen = true;
        };
        stream("/v1/sync/live", { changed, open }, () => isOnline() && globalThis.EventSource !== undefined);
    }));
}
