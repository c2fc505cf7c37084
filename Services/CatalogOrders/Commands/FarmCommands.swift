import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// The command for a farm's profile.
extension MarketCommands {
    func profileFarm(_ command: ProfileFarm) throws(Problem) -> Outcome {
        let farm = command.farm
        try check(farm)
        let known = tables.get(MarketFarmRow.self, farm.rawValue)?.profile.title ?? farm.rawValue
        let event = FarmProfiled(
            title: command.title ?? known, county: command.county, region: command.region, street: command.street,
            telephone: command.telephone, website: command.website, description: command.description,
            latitude: command.latitude, longitude: command.longitude, picture: command.picture,
            thumbnail: command.thumbnail, alt: command.alt, hasGoods: command.hasGoods)
        return made(event, "farm/\(farm)", farm: farm, status: 200) { $0.field("farm", farm) }
    }
}
