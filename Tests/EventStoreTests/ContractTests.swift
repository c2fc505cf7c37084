import EventSourcing
import EventStore
import TestKit
import Testing

@Suite("A journal")
struct ContractTests {
    @Test(arguments: EventLogContract.checks, Engine.allCases)
    func `keeps the contract`(check: EventLogContract.Check, engine: Engine) async throws {
        try await engine.withLogs { harness in try await check.run(harness) }
    }

    @Test func `has a contract of at least sixteen clauses`() {
        #expect(EventLogContract.checks.count >= 16)
        print("checked \(EventLogContract.checks.count) clauses with \(Engine.allCases.count) engines")
    }

    @Test(arguments: Mutant.allCases)
    func `that is broken breaks a clause`(mutant: Mutant) async throws {
        var broken: [String] = []
        for check in EventLogContract.checks {
            do {
                try await check.run(mutant.harness)
            } catch {
                broken.append("\(check)")
            }
        }
        print("\(mutant) breaks \(broken.count): \(broken)")
        #expect(!broken.isEmpty)
    }
}

@Suite("View tables")
struct TablesContractTests {
    @Test(arguments: TablesContract.checks, Engine.allCases)
    func `keep the contract`(check: TablesContract.Check, engine: Engine) async throws {
        try await engine.withTables { harness in try await check.run(harness) }
    }

    @Test func `have a contract of at least eleven clauses`() {
        #expect(TablesContract.checks.count >= 11)
        print("checked \(TablesContract.checks.count) clauses with \(Engine.allCases.count) engines")
    }

    @Test(arguments: TableMutant.allCases)
    func `that are broken break a clause`(mutant: TableMutant) async throws {
        var broken: [String] = []
        for check in TablesContract.checks {
            do {
                try await check.run(mutant.harness)
            } catch {
                broken.append("\(check)")
            }
        }
        print("\(mutant) break \(broken.count): \(broken)")
        #expect(!broken.isEmpty)
    }
}
