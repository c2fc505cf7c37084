import Glibc
import HTTP
import Imaging
import JSON
import System
import Vocabulary

/// A camera on a mast beside plot 1: it posts one picture for each of the last seven days, then one every hour.
final class FakeCamera {
    private let people: FakePeople
    private var token: String?
    /// The times of the pictures that are still to be sent; nil before the first round.
    private var due: [Instant]?

    private static let name = "mast-1"
    private static let area = FakeArea.all[0]
    private static let days = 7
    private static let secondsBetween = 3600.0

    init(_ people: FakePeople) {
        self.people = people
    }

    /// Sends a picture, if one is due. Errors are ignored: the farm may be stopping, and the picture is sent again.
    func tend(at now: Instant) {
        var due = due ?? Self.past(before: now)
        defer { self.due = due }
        guard let next = due.first, next <= now else { return }
        do {
            let token = try token ?? people.admit(Self.name, title: "Mast beside plot 1")
            self.token = token
            let picture = try WebPEncoder.encode(Self.picture(at: next), side: 960, quality: 80)
            let photograph = try people.photograph(
                picture, "/v1/photographs/\(token)?place=\(Self.area.place)&camera=\(Self.name)&at=\(next)")
            // Those of the first days are in the stories of what is harvested there.
            if due.count > 1 {
                try people.send("PUT", "/v1/photographs/\(photograph)/story", #"{"isShown":true}"#)
            }
            due.removeFirst()
            if due.isEmpty { due.append(next.advanced(bySeconds: Self.secondsBetween)) }
        } catch {
            token = nil
        }
    }

    /// The noons of the days before a time by the sun of the farm, and the time itself.
    private static func past(before now: Instant) -> [Instant] {
        let day = 86_400_000_000.0
        let noon = (12 + FakeArea.sunBehind) * 3_600_000_000
        let last = (Double(now.microseconds) - noon) / day
        let noons = (0..<days).reversed().map { (last.rounded(.down) - Double($0)) * day + noon }
        return noons.map { Instant(microseconds: Int64($0)) } + [now]
    }

    /// Draws rows of plants under the sky. They grow day by day, and the light is that of the hour.
    static func picture(at time: Instant) -> Bitmap {
        let (width, height) = (960, 640)
        let hours = Double(time.microseconds) / 3_600_000_000 - FakeArea.sunBehind
        let hour = hours.truncatingRemainder(dividingBy: 24)
        let light = max(0.12, sin((hour - 6) / 12 * .pi))
        let grown = 0.35 + 0.09 * (hours / 24).truncatingRemainder(dividingBy: 7)
        var pixels: [UInt8] = []
        pixels.reserveCapacity(width * height * 3)
        for y in 0..<height {
            for x in 0..<width {
                let colour = colour(Double(x) / Double(width), Double(y) / Double(height), grown)
                for part in colour { pixels.append(UInt8(max(0, min(255, part * light)))) }
            }
        }
        return Bitmap(width: width, height: height, pixels: pixels)
    }

    /// Returns red, green and blue at a place of the picture, both 0 to 1 from the upper left.
    private static func colour(_ x: Double, _ y: Double, _ grown: Double) -> [Double] {
        let horizon = 0.42
        guard y > horizon else { return [140 + 80 * y, 180 + 60 * y, 235] }
        // The nearer a row is, the lower and the larger it appears.
        let depth = (y - horizon) / (1 - horizon)
        let row = ((x - 0.5) / (0.15 + depth) * 7 + 20).truncatingRemainder(dividingBy: 1)
        let leaf = 0.5 + 0.5 * sin(x * 90 + y * 140) * cos(y * 60)
        let isPlant = abs(row - 0.5) < grown / 2 * (0.6 + 0.4 * leaf)
        return isPlant ? [50 + 40 * leaf, 110 + 70 * leaf, 45] : [118 - 30 * depth, 86 - 22 * depth, 58 - 14 * depth]
    }
}

extension FakePeople {
    /// Posts a picture to an address with a camera's token. Returns the photograph.
    fileprivate func photograph(_ picture: [UInt8], _ path: String) throws -> String {
        let response = try client.send(
            "POST", url + path, headers: [("Content-Type", "image/webp")], body: picture, timeoutSeconds: 10)
        guard (200...299).contains(response.status) else { throw Refusal("\(path): \(response.status)") }
        return try JSONValue.parse(response.body).get("photograph")
    }
}
