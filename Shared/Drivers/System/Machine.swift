internal import CSystem
internal import Glibc

/// Information about this process and its machine.
public enum Machine {
    /// The name of this machine; `localhost` if it has none.
    public static var hostName: String {
        var name = [CChar](repeating: 0, count: Int(HOST_NAME_MAX) + 1)
        guard unsafe gethostname(&name, name.count) == 0 else { return "localhost" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The current environment; of two equal names the first one wins.
    public static var environment: [String: String] {
        guard var line = unsafe csystem_environment() else { return [:] }
        var variables: [String: String] = [:]
        while let text = unsafe line.pointee {
            let entry = unsafe String(cString: text)
            if let equals = entry.firstIndex(of: "="), variables[String(entry[..<equals])] == nil {
                variables[String(entry[..<equals])] = String(entry[entry.index(after: equals)...])
            }
            unsafe line += 1
        }
        return variables
    }

    /// The id of this process.
    public static var processID: Int32 { getpid() }

    /// The effective user id; 0 is root.
    public static var userID: UInt32 { geteuid() }

    /// Returns the id of a user of this machine; nil if there is none of that name.
    public static func userID(named name: String) throws(SystemError) -> UInt32? {
        try User(named: name)?.id
    }

    /// Returns the resident memory of this process in bytes; 0 if the kernel does not report it.
    public static func residentBytes() -> Int { status("VmRSS:") }

    /// Returns the peak resident memory of another process in bytes; 0 if the kernel does not report it.
    public static func peakResidentBytes(of process: Int32) -> Int { status("VmHWM:", of: "\(process)") }

    /// Returns the peak resident memory of this process in bytes; 0 if the kernel does not report it.
    public static func peakResidentBytes() -> Int { status("VmHWM:") }

    /// Ends this process immediately, regardless of its threads.
    ///
    /// `exit` would first run the libraries' clean-up: a thread that is signing would be left without OpenSSL's locks.
    public static func end(_ code: Int32) -> Never {
        _exit(code)
    }

    /// Returns freed memory to the kernel; takes some milliseconds.
    public static func releaseFreeMemory() {
        csystem_release_memory()
    }

    /// Limits the heaps that threads share, because each retains its own freed memory; call before starting threads.
    public static func limitHeaps(to count: Int32) {
        csystem_limit_heaps(count)
    }

    /// Raises the limit of open descriptors to `count`, or to the hard limit; a shell's usual limit is 1,024.
    public static func allowDescriptors(_ count: UInt) {
        var limit = rlimit()
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(files, &limit) == 0, limit.rlim_cur < count else { return }
        limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
        unsafe setrlimit(files, &limit)
    }

    /// Returns the bytes that another process has read so far, cached or not; 0 if the kernel does not report it.
    public static func bytesRead(of process: Int32) -> Int { number("rchar:", in: "/proc/\(process)/io") }

    /// Returns a value of `/proc/<process>/status`, converted from units of 1,024 bytes.
    private static func status(_ label: String, of process: String = "self") -> Int {
        number(label, in: "/proc/\(process)/status") * 1_024
    }

    private static func number(_ label: String, in path: String) -> Int {
        let read = Result { () throws(SystemError) in try File.read(path, limit: SystemLimits.statusBytesMax) }
        guard case .success(let bytes) = read else { return 0 }
        for line in bytes.split(separator: UInt8(ascii: "\n")) where line.starts(with: label.utf8) {
            let digits = line.filter { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            return Int(String(decoding: digits, as: UTF8.self)) ?? 0
        }
        return 0
    }
}
