import EventSourcing
import System
import Vocabulary

extension Tables {
    /// Returns the time zone of a farm, or that of the first farm by name; UTC if it is not known.
    func zone(ofFarm farm: String? = nil) -> Zone {
        let prefix = SyncRecordWriter.key("zones", farm ?? "", of: SyncViews.hidden)
        let row = farm == nil ? scan(SyncRow.self, prefix: prefix, limit: 1).first : get(SyncRow.self, prefix)
        return row?.text("zone").flatMap(ZoneFile.read).flatMap(Zone.init(file:)) ?? .utc
    }
}
