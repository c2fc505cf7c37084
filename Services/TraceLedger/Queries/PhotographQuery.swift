import EventSourcing
import Events
import JSON
import Vocabulary
import Wire

/// The list of a place's photographs.
struct PhotographQuery {
    let tables: any Tables

    /// Returns the photographs of a place, the newest first.
    func photographs(_ body: RequestBody) throws(Problem) -> Response {
        let place: Place = try body.get("place")
        let after = try body.optionalText("after")
        let rows = tables.scan(
            PhotographRow.self, prefix: "\(place)|", after: after, limit: LedgerLimits.photographs)
        return .made { json in
            json.field(
                "items",
                array: { json in
                    for row in rows {
                        json.object { json in
                            json.field("photograph", row.photograph)
                            json.field("taken", row.taken)
                            json.field("picture", row.picture)
                            json.field("preview", row.preview)
                            json.field("thumbnail", row.thumbnail)
                            json.field("width", row.width)
                            json.field("height", row.height)
                            json.field("camera", ifPresent: row.camera)
                            json.field("isShown", row.isShown)
                        }
                    }
                })
            json.field("next", ifPresent: rows.count == LedgerLimits.photographs ? rows.last?.key : nil)
        }
    }
}
