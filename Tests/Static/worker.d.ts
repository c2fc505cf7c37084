// The scope of a service worker; TypeScript takes `self` for that of any worker.
interface WorkerGlobalScope {
    readonly clients: Clients;
    readonly registration: ServiceWorkerRegistration;
    skipWaiting(): Promise<void>;
    addEventListener(type: "install" | "activate", listener: (event: ExtendableEvent) => void): void;
    addEventListener(type: "push", listener: (event: PushEvent) => void): void;
    addEventListener(type: "pushsubscriptionchange", listener: (event: ExtendableEvent & {
        newSubscription: PushSubscription | null, oldSubscription: PushSubscription | null }) => void): void;
    addEventListener(type: "notificationclick", listener: (event: NotificationEvent) => void): void;
    addEventListener(type: "fetch", listener: (event: FetchEvent) => void): void;
}
