import EventSourcing
import EventStore
import TestKit
import Testing

@Suite("Event log contract")
struct ContractTests {
    @Test(arguments: EventLogContract.checks, Engine.allCases)
    func `every event log engine satisfies the contract`(check: EventLogContract.Check, engine: Engine) async throws {
        try await engine.withLogs { harness in try await check.run(harness) }
    }

    @Test func `the event log contract has at least sixteen clauses`() {
        #expect(EventLogContract.checks.count >= 16)
        print("checked \(EventLogContract.checks.count) clauses with \(Engine.allCases.count) engines")
    }

    @Test(arguments: Mutant.allCases)
    func `every broken event log fails a clause of the contract`(mutant: Mutant) async throws {
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

@Suite("View table contract")
struct TablesContractTests {
    @Test(arguments: TablesContract.checks, Engine.allCases)
    func `every view table engine satisfies the contract`(check: TablesContract.Check, engine: Engine) async throws {
        try await engine.withTables { harness in try await check.run(harness) }
    }

    @Test func `the view table contract has at least eleven clauses`() {
        #expect(TablesContract.checks.count >= 11)
        print("checked \(TablesContract.checks.count) clauses with \(Engine.allCases.count) engines")
    }

    @Test(arguments: TableMutant.allCases)
    func `broken view tables fail a clause of the contract`(mutant: TableMutant) async throws {
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
