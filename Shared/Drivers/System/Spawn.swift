internal import CSystem
internal import Glibc

extension Process.Command {
    /// Starts the command and returns its pid.
    func spawn() throws(SystemError) -> Int32 {
        let strings = [executable] + arguments
        let variables = environment.map { "\($0.key)=\($0.value)" }
        let paths = [executable] + (workingDirectory.map { [$0] } ?? [])
        for text in strings + variables + paths where text.utf8.contains(0) {
            throw SystemError(code: EINVAL, operation: "start", path: executable)
        }
        let output = try output.open()
        let error = try error.open()
        let newUser = user?.id == geteuid() ? nil : user
        var step: Int32 = 0
        let result = unsafe withPointers(to: strings) { argv in
            unsafe withPointers(to: variables) { envp in
                unsafe withPointers(to: paths) { paths in
                    unsafe (newUser?.groups ?? []).withUnsafeBufferPointer { groups in
                        var request = unsafe csystem_spawn_request(
                            executable: paths[0], arguments: argv, environment: envp,
                            working_directory: workingDirectory == nil ? nil : paths[1],
                            output: output.number, error: error.number, changes_user: newUser != nil,
                            user: newUser?.id ?? 0, group: newUser?.group ?? 0, groups: groups.baseAddress,
                            group_count: groups.count, keeps_read_search: readsEverywhere,
                            death_signal: deathSignal ?? 0)
                        return unsafe csystem_spawn(&request, &step)
                    }
                }
            }
        }
        return try SystemError.checked(result, Self.name(of: step), executable)
    }

    private static func name(of step: Int32) -> String {
        switch Int(step) {
        case CSYSTEM_STEP_FORK: "fork"
        case CSYSTEM_STEP_SESSION: "setsid"
        case CSYSTEM_STEP_STREAMS: "place streams"
        case CSYSTEM_STEP_USER: "change user"
        case CSYSTEM_STEP_CAPABILITY: "keep capability"
        case CSYSTEM_STEP_PARENT: "watch parent"
        case CSYSTEM_STEP_DIRECTORY: "enter working directory"
        case CSYSTEM_STEP_EXECUTE: "execute"
        default: "start"
        }
    }
}

extension Process.Stream {
    /// Returns the descriptor for the child; -1 for none.
    fileprivate func open() throws(SystemError) -> Target {
        switch self {
        case .nowhere: Target(number: -1, owned: nil)
        case .descriptor(let number): Target(number: number, owned: nil)
        case .file(let path): try Target(Descriptor(opening: path, O_WRONLY | O_CREAT | O_APPEND, mode: 0o640))
        }
    }

    /// A descriptor and, if it must be closed here, its owner.
    fileprivate struct Target: ~Copyable {
        let number: Int32
        let owned: Descriptor?

        init(number: Int32, owned: consuming Descriptor?) {
            self.number = number
            self.owned = owned
        }

        init(_ owned: consuming Descriptor) {
            number = owned.number
            self.owned = consume owned
        }
    }
}

/// Calls `body` with `texts` as C strings, followed by a null pointer.
private func withPointers<Result>(
    to texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var bytes: [CChar] = []
    var offsets: [Int] = []
    for text in texts {
        offsets.append(bytes.count)
        bytes.append(contentsOf: text.utf8.map { CChar(bitPattern: $0) } + [0])
    }
    return unsafe bytes.withUnsafeMutableBufferPointer { bytes in
        let pointers = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: texts.count + 1)
        defer { unsafe pointers.deallocate() }
        for (index, offset) in offsets.enumerated() {
            unsafe (pointers + index).initialize(to: bytes.baseAddress?.advanced(by: offset))
        }
        unsafe (pointers + texts.count).initialize(to: nil)
        return unsafe body(pointers)
    }
}
