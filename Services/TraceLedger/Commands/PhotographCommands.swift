import EventSourcing
import Events
import Host
import JSON
import Vocabulary
import Wire

/// The commands about photographs of places.
struct PhotographCommands {
    let commands: LedgerCommands

    private var tables: any Tables { commands.tables }

    /// Records a photograph whose files are stored. The same picture of the same place is one photograph.
    func record(_ command: RecordPhotograph) throws(Problem) -> LedgerCommands.Outcome {
        let place = command.place
        guard let row = tables.get(PlaceRow.self, place.description) else {
            throw Problem(404, "unknown-place", "There is no \(place).")
        }
        let known = tables.find(PhotographRow.self, where: "picture", is: command.picture, limit: LedgerLimits.scanned)
        if let same = known.first(where: { $0.place == place.description }) {
            return ([], .made(201) { $0.field("photograph", same.photograph) })
        }
        let taken = try commands.past(command.at, "at") ?? commands.now
        let photograph = "f" + BaseEncoding.base32.encode(Array(commands.ask.entropy.prefix(10))).lowercased()
        let event = PhotographTaken(
            photograph: photograph, place: place, picture: command.picture, preview: command.preview,
            thumbnail: command.thumbnail, width: command.width, height: command.height, camera: command.camera)
        return commands.made(event, place.description, at: taken, farm: row.farm) {
            $0.field("photograph", photograph)
        }
    }

    /// Has the stories of the lots that were at a photograph's place then show it, or no longer.
    func show(_ command: ShowPhotograph) throws(Problem) -> LedgerCommands.Outcome {
        let (row, place) = try known(command.photograph)
        let isShown = command.isShown
        let answer = Response.made(200) { $0.field("photograph", row.photograph) }
        guard isShown != row.isShown else { return ([], answer) }
        let shown = tables.find(
            PhotographRow.self, where: "shown_of", is: row.place, limit: LedgerLimits.shownPhotographs)
        guard !isShown || shown.count < LedgerLimits.shownPhotographs else {
            throw Problem(
                409, "too-many-shown",
                "Stories show \(LedgerLimits.shownPhotographs) photographs of this place already. "
                    + "Take an older one out of the stories first.")
        }
        let event = PhotographChosen(photograph: row.photograph, place: place, isShown: isShown)
        let farm = tables.get(PlaceRow.self, row.place)?.farm
        return ([commands.draft(event, row.place, farm: farm)], answer)
    }

    func remove(_ command: RemovePhotograph) throws(Problem) -> LedgerCommands.Outcome {
        let (row, place) = try known(command.photograph)
        let event = PhotographRemoved(photograph: row.photograph, place: place, reason: command.reason)
        let farm = tables.get(PlaceRow.self, row.place)?.farm
        return commands.made(event, row.place, farm: farm) { $0.field("photograph", row.photograph) }
    }

    private func known(_ photograph: String) throws(Problem) -> (PhotographRow, Place) {
        guard let row = PhotographRow.find(photograph, in: tables), let place = Place(row.place) else {
            throw Problem(404, "unknown-photograph", "There is no photograph \(photograph).")
        }
        return (row, place)
    }
}
