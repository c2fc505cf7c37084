internal import CSystem

/// A number shared by processes: a file of eight bytes in memory, with one writer and many readers.
@safe public final class SharedNumber: Sendable {
    // Accessed with atomic instructions only.
    private nonisolated(unsafe) let map: UnsafeMutableRawPointer

    /// Opens the number for writing; a new file starts with `first`.
    public init(path: String, first: Int64) throws(SystemError) {
        guard let map = unsafe csystem_number_map(path, first, 1) else { throw SystemError.last("map", path) }
        unsafe self.map = map
    }

    /// Opens an existing file for reading.
    public init(reading path: String) throws(SystemError) {
        guard let map = unsafe csystem_number_map(path, 0, 0) else { throw SystemError.last("map", path) }
        unsafe self.map = map
    }

    /// The current value.
    public var value: Int64 { unsafe csystem_number_load(map) }

    /// Sets the value; requires the writer's instance.
    public func store(_ value: Int64) {
        unsafe csystem_number_store(map, value)
    }

    deinit {
        unsafe csystem_number_unmap(map)
    }
}
