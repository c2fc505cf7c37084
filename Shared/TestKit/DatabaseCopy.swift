import EventStore
import System

/// Copies a journal's file, its WAL and its segments as they are on the disk, as a power cut would leave them.
public func copyDatabase(_ path: String, to copy: String) throws {
    let (segments, others) = (SegmentDirectory(ofJournal: path).path, SegmentDirectory(ofJournal: copy).path)
    if Directory.isDirectory(segments) {
        try Directory.create(others, mode: 0o700)
        for name in try Directory.list(segments) { try copyFile("\(segments)/\(name)", to: "\(others)/\(name)") }
    }
    for suffix in ["", "-wal"] where File.exists(path + suffix) { try copyFile(path + suffix, to: copy + suffix) }
}

private func copyFile(_ path: String, to copy: String) throws {
    try File.writeAtomically(copy, try File.read(path, limit: 1 << 30), mode: 0o600)
}
