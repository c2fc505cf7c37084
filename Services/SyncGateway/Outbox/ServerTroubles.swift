import EventSourcing
import EventStore
import Events
import Host
import JSON
import Vault
import Vocabulary
import Wire

/// Takes the reports of `furrow watch`, and notifies the administrators of what has to be done at once.
extension SyncGateway {
    mutating func serverReport(_ ask: Request, _ tables: any Tables) -> [Effect] {
        do throws(Problem) {
            return try takeServerReport(ask, tables)
        } catch {
            return [.reply(ask, error.answer)]
        }
    }

    private mutating func takeServerReport(_ ask: Request, _ tables: any Tables) throws(Problem) -> [Effect] {
        guard ask.actor == .service("console") else {
            throw Problem(403, "not-allowed", "Only the operator's command reports on the server.")
        }
        let findings = try RequestBody(ask.body).get("findings", as: [TroubleWatch.Finding].self)
        guard findings.count <= GatewayLimits.serverFindings else {
            throw Problem(413, "too-large", "Send at most \(GatewayLimits.serverFindings) findings.")
        }
        let changes = troubles.take(findings, open: openTroubles(tables), at: tick)
        return try effects(of: changes, tables) + [.reply(ask, .made { _ in })]
    }

    /// Raises that the reports have stopped.
    mutating func watchedReports(_ tables: any Tables) -> [Effect] {
        guard tick.isMultiple(of: GatewayLimits.countingTicks),
            let finding = troubles.silence(open: openTroubles(tables), at: tick)
        else { return [] }
        do throws(Problem) {
            return try effects(of: TroubleWatch.Changes(raised: [finding]), tables)
        } catch {
            return [.note(OperatorEvent("vault_failures"))]
        }
    }

    private func openTroubles(_ tables: any Tables) -> Set<String> {
        Set(tables.scan(ServerTroubleRow.self, prefix: "", limit: GatewayLimits.serverFindings).map(\.key))
    }

    private func effects(of changes: TroubleWatch.Changes, _ tables: any Tables) throws(Problem) -> [Effect] {
        guard changes != TroubleWatch.Changes() else { return [] }
        let people = try vault { () throws(VaultError) in try accounts.all() }
            .filter { $0.role == .administrator }.map(\.person)
        let raised = changes.raised.map { finding in
            draft(
                ServerTroubleRaised(
                    check: finding.check, said: finding.said, advice: finding.advice, people: people))
        }
        let cleared = changes.cleared.compactMap { check in
            tables.get(ServerTroubleRow.self, check).map { row in
                draft(ServerTroubleCleared(check: check, said: row.said, raised: row.raised, people: people))
            }
        }
        return [.append(raised + cleared)]
    }

    private func draft(_ event: any Event) -> Draft { Draft(event, in: "server", by: .service(Self.name)) }
}

extension TroubleWatch.Finding: JSONReadable {
    init(json: borrowing JSONValue) throws(JSONError) {
        check = String(try json.get("check", as: String.self).prefix(GatewayLimits.findingCharacters))
        said = String(try json.get("said", as: String.self).prefix(GatewayLimits.findingCharacters))
        advice = try json.find("advice", as: String.self).map { String($0.prefix(GatewayLimits.findingCharacters)) }
    }
}
