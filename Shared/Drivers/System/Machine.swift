internal import CSystem
internal import Glibc

/// What a process can learn about itself and where it runs.
public enum Machine {
    public static var hostName: String {
        var name = [CChar](repeating: 0, count: Int(HOST_NAME_MAX) + 1)
        guard unsafe gethostname(&name, name.count) == 0 else { return "localhost" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The environment as it is now; the first of two equal names wins.
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

    public static var processID: Int32 { getpid() }

    /// The effective user; 0 is root.
    public static var userID: UInt32 { geteuid() }

    /// The id of a user of this machine, or nil where there is none of that name.
    public static func userID(named name: String) throws(SystemError) -> UInt32? {
        try User(named: name)?.id
    }

    /// Bytes of this process that are in memory now; 0 where the kernel doesn't say.
    public static func residentBytes() -> Int { status("VmRSS:") }

    /// The most bytes of another process that ever were in memory; 0 where the kernel doesn't say.
    public static func peakResidentBytes(of process: Int32) -> Int { status("VmHWM:", of: "\(process)") }

    /// The most bytes of this process that ever were in memory; 0 where the kernel doesn't say.
    public static func peakResidentBytes() -> Int { status("VmHWM:") }

    /// Ends this process at once, whatever its threads are at. `exit` would let libraries tear themselves down beneath
    /// them first: who signs something just then is left without OpenSSL's locks.
    public static func end(_ code: Int32) -> Never {
        _exit(code)
    }

    /// Gives back to the kernel what was freed; takes some milliseconds.
    public static func releaseFreeMemory() {
        csystem_release_memory()
    }

    /// Lets all threads share so many heaps, each of which keeps freed memory of its own; called before there are any.
    public static func limitHeaps(to count: Int32) {
        csystem_limit_heaps(count)
    }

    /// Lets this process have so many descriptors open, or as many as it may; a shell's usual limit is 1,024.
    public static func allowDescriptors(_ count: UInt) {
        var limit = rlimit()
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(files, &limit) == 0, limit.rlim_cur < count else { return }
        limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
        unsafe setrlimit(files, &limit)
    }

    /// The bytes that another process has read from files so far, wherever they lay; 0 where the kernel doesn't say.
    public static func bytesRead(of process: Int32) -> Int { number("rchar:", in: "/proc/\(process)/io") }

    /// A line of `/proc/<process>/status`, which counts in units of 1,024 bytes.
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
