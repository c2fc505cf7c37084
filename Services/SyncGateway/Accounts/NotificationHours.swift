import HTTP
import Host
import JSON
import Vault
import Wire

/// The hours of the day in which a person is notified of promotions, by the clock of the farm; over midnight if they
/// end before they begin.
struct NotificationHours: Equatable, Sendable {
    /// Times of a clock such as `08:00`.
    let (from, to): (String, String)

    /// The hours of those who have chosen none: by day.
    static let usual = NotificationHours(from: "08:00", to: "20:00")

    init(from: String, to: String) { (self.from, self.to) = (from, to) }

    /// Reads the form in which an account stores them: `08:00-20:00`. Returns nil for anything else.
    init?(text: String) {
        let parts = text.split(separator: "-")
        guard parts.count == 2 else { return nil }
        self.init(from: String(parts[0]), to: String(parts[1]))
    }

    var text: String { "\(from)-\(to)" }

    /// Returns whether a time of the clock is within the hours.
    func contains(_ time: String) -> Bool {
        from <= to ? from <= time && time < to : from <= time || time < to
    }
}

extension SyncGateway {
    /// Stores the hours in which the caller is notified of promotions. They are personal data, so they are in the vault
    /// alone.
    func setNotificationHours(_ call: RequestContext) throws(Problem) -> [Effect] {
        var account = try ownAccount(call)
        let body = try call.body()
        let hours = NotificationHours(from: try body.get("from"), to: try body.get("to"))
        guard hours.from != hours.to else {
            throw Problem(
                422, "no-hours", "to: choose another time than from. To be notified never, remove the device.")
        }
        account.notificationHours = hours
        try vault { () throws(VaultError) in try accounts.keep(account) }
        return [respond(call.web, HTTPResponse(status: 204))]
    }
}
