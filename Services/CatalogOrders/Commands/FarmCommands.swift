import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// The command for a farm's profile.
extension MarketCommands {
    func profileFarm(_ body: RequestBody) throws(Problem) -> Outcome {
        let farm = try farm(body)
        let known = tables.get(MarketFarmRow.self, farm.rawValue)?.profile.title ?? farm.rawValue
        let event = FarmProfiled(
            title: try body.optionalText("title") ?? known, county: try body.optionalText("county"),
            region: try body.optionalText("region"), street: try body.optionalText("street"),
            telephone: try body.optionalText("telephone", limit: 40), website: try website(body),
            description: try body.optionalText("description", limit: MarketLimits.descriptionBytes),
            latitude: try degrees(body, "latitude", 90), longitude: try degrees(body, "longitude", 180),
            picture: try body.optionalDigest("picture"), thumbnail: try body.optionalDigest("thumbnail"),
            alt: try body.optionalText("alt", limit: MarketLimits.altBytes),
            hasGoods: try body.find("hasGoods") ?? false)
        return made(event, "farm/\(farm)", farm: farm, status: 200) { $0.field("farm", farm) }
    }

    private func website(_ body: RequestBody) throws(Problem) -> String? {
        guard let address = try body.optionalText("website") else { return nil }
        guard address.hasPrefix("https://") || address.hasPrefix("http://") else {
            throw Problem(400, "malformed", "website: begin with https:// or http://.")
        }
        return address
    }
}
