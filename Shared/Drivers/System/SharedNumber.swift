internal import CSystem

/// One number that several processes see: a file of eight bytes in memory, written by one and read by many.
@safe public final class SharedNumber: Sendable {
    // Read and written with atomic instructions only.
    private nonisolated(unsafe) let map: UnsafeMutableRawPointer

    /// The writer's end; a new file begins with `first`.
    public init(path: String, first: Int64) throws(SystemError) {
        guard let map = unsafe csystem_number_map(path, first, 1) else { throw SystemError.last("map", path) }
        unsafe self.map = map
    }

    /// A reader's end of a file that is there.
    public init(reading path: String) throws(SystemError) {
        guard let map = unsafe csystem_number_map(path, 0, 0) else { throw SystemError.last("map", path) }
        unsafe self.map = map
    }

    public var value: Int64 { unsafe csystem_number_load(map) }

    /// Only at the writer's end.
    public func store(_ value: Int64) {
        unsafe csystem_number_store(map, value)
    }

    deinit {
        unsafe csystem_number_unmap(map)
    }
}
