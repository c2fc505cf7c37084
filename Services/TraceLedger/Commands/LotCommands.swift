import Crypto
import EventSourcing
import Events
import Host
import JSON
import Vocabulary
import Wire

/// Commands on lots.
extension LedgerCommands {
    func harvest(_ command: Harvest) throws(Problem) -> Outcome {
        let plot = command.plot
        guard let place = tables.get(PlaceRow.self, Place.plot(plot).description) else {
            throw Problem(404, "unknown-place", "There is no plot/\(plot).")
        }
        let happened = try past(command.happened, "happened") ?? now
        // The year is probably mistyped, and only the weight can be corrected later.
        try checkRecent(happened)
        let done = tables.all(ActivityRow.self, prefix: "\(plot)|").map(\.valid)
        let season = Season(of: done, at: happened)
        if let until = season.waitingUntil, until > happened {
            throw Problem(
                409, "waiting-time", "What was applied to \(place.title) has to wait until \(until) before a harvest.")
        }
        let lot = try newLot(command.lot, at: happened, place.farm)
        let gtin = try gtin(command.gtin, of: command.product, place.farm)
        let event = Harvested(
            lot: lot, gtin: gtin, product: command.product, plot: plot, grams: command.grams,
            from: season.sown ?? happened)
        let facts = try decide(.harvest(event), lot)
        let answer = Response.made(201) { json in
            json.field("lot", lot)
            json.field("gtin", gtin)
            json.field("restricted", gtin.isRestricted)
            guard gtin.isRestricted else { return }
            json.field(
                "note", "This item number is only good inside this farm; shops need one from a GS1 company prefix.")
        }
        return (drafts(facts, lot, place.farm, at: happened), answer)
    }

    func correctHarvest(_ command: CorrectHarvest) throws(Problem) -> Outcome {
        let lot = command.lot
        let row = try rowWithStepsLeft(of: lot)
        let facts = try decide(.correctHarvest(grams: command.grams, reason: command.reason), lot)
        return (drafts(facts, lot, row.farm), .made(201) { $0.field("lot", lot) })
    }

    func splitLot(_ command: SplitLot) throws(Problem) -> Outcome {
        let lot = command.lot
        let row = try row(of: lot)
        guard LotHistory.depth(of: row, in: tables) < LedgerLimits.ancestors else {
            throw Problem(409, "too-deep", "Lot \(lot) comes of \(LedgerLimits.ancestors) splits; split one before it.")
        }
        let into = try newLot(command.into, at: row.state.harvestedAt ?? now, row.farm)
        let facts = try decide(.split(into: into, grams: command.grams), lot)
        return (drafts(facts, lot, row.farm), .made(201) { $0.field("lot", into) })
    }

    func packLot(_ command: PackLot) throws(Problem) -> Outcome {
        let lot = command.lot
        let row = try rowWithStepsLeft(of: lot)
        // 64 random bits each, derived from the request's entropy: the same for a repeated request.
        let serials = (0..<command.boxes).map { number in
            String(
                BaseEncoding.base32.encode(
                    Array(SHA256.hash(ask.entropy, Array("box \(number)".utf8)).prefix(9))
                ).prefix(13))
        }
        let facts = try decide(.pack(gramsEach: command.gramsEach, serials: serials), lot)
        return (drafts(facts, lot, row.farm), .made(201) { $0.field("serials", serials) })
    }

    func storeLot(_ command: StoreLot) throws(Problem) -> Outcome {
        let lot = command.lot
        let row = try rowWithStepsLeft(of: lot)
        guard tables.get(PlaceRow.self, Place.store(command.store).description) != nil else {
            throw Problem(404, "unknown-place", "There is no store/\(command.store).")
        }
        let facts = try decide(.store(command.store), lot)
        let happened = try happened(
            command.happened, since: row.state.harvestedAt ?? now, "lot \(lot) was harvested")
        return (drafts(facts, lot, row.farm, at: happened), .made(201) { $0.field("lot", lot) })
    }

    func handOverLot(_ command: HandOverLot) throws(Problem) -> Outcome {
        let lot = command.lot
        let row = try row(of: lot)
        let facts = try decide(.handOver(to: command.to, document: command.document), lot)
        let happened = try happened(
            command.happened, since: LotHistory(of: row, from: tables).since ?? now, "lot \(lot) came to where it lies")
        return (drafts(facts, lot, row.farm, at: happened), .made(201) { $0.field("lot", lot) })
    }

    /// Recalls a lot and all that was split off it.
    ///
    /// Lots that are already recalled, and their descendants, are omitted. So a lot with more descendants than one
    /// recall may name can be recalled after some of them.
    func recallLot(_ command: RecallLot) throws(Problem) -> Outcome {
        let lot = command.lot
        let row = try row(of: lot)
        var includes: [LotID] = []
        var open = [lot]
        while let parent = open.popLast() {
            let children = tables.find(LotRow.self, where: "parent", is: parent.rawValue, limit: .max)
            let fresh = children.filter { $0.state.recalled == nil }.map { LotID($0.key) }
            includes += fresh
            open += fresh
            guard includes.count <= LedgerLimits.recalledLots else {
                throw Problem(
                    409, "too-many-lots",
                    "More than \(LedgerLimits.recalledLots) lots that are not recalled come of \(lot); recall some of them first."
                )
            }
        }
        let facts = try decide(.recall(includes: includes, reason: command.reason), lot)
        return (
            drafts(facts, lot, row.farm),
            .made(201) { json in
                json.field("lot", lot)
                json.field("includes", includes)
            }
        )
    }

    /// Releases a held lot and all that was split off it. The event's actor is the person who releases it.
    func releaseLot(_ command: ReleaseLot) throws(Problem) -> Outcome {
        let (lot, reason) = (command.lot, command.reason)
        let row = try row(of: lot)
        _ = try decide(.release(includes: [], reason: reason), lot)
        let events = holds.events(of: row) { LotReleased(lot: $0, includes: $1, reason: reason) }
        return (events.map { draft($0, "lot/\(lot)", farm: row.farm) }, .made(201) { $0.field("lot", lot) })
    }

    func printLabels(_ command: PrintLabels) throws(Problem) -> Outcome {
        let lot = command.lot
        let row = try row(of: lot)
        guard printer.publicURL != nil else { throw LabelPrinter.noAddress }
        let facts = try decide(.printLabels(kid: printer.kid), lot)
        let labels = try Labels(of: row, boxes: row.state.boxes, printer, zones, tables)
        return (drafts(facts, lot, row.farm), .made(201, labels.write))
    }

    /// Returns the newest passport of the lot. A new one is issued if the story has changed, which is checked at
    /// intervals only.
    mutating func refreshPassport(_ command: RefreshPassport) throws(Problem) -> Outcome {
        let lot = command.lot
        let row = try row(of: lot)
        guard !command.stranger || row.isPublic || printer.hasSigned(label: command.label ?? "", of: lot)
        else { throw unknown(lot) }
        let issued = tables.get(PassportRow.self, lot.rawValue)
        // A passport from before the lot was held, released or recalled is outdated, so that buyers see the change at
        // once.
        if let issued, passportCache.isFresh(lot, issued: issued.issued, changed: row.safetySince, at: now) {
            return ([], .made { $0.field("event", issued.event) })
        }
        let passport: JSONAny
        do throws(JSONError) {
            passport = try LotStory(of: row, at: now, from: tables).passport()
        } catch {
            throw Problem(500, "story", "\(error)")
        }
        passportCache.note(lot, at: now)
        if let issued, issued.story == LotStory.digest(of: passport) {
            return ([], .made { $0.field("event", issued.event) })
        }
        let id = UUID.timed(now, random: ask.entropy)
        let event = PassportIssued(lot: lot, hubPosition: hubPosition, passport: passport)
        var draft = draft(event, "lot/\(lot)", farm: row.farm)
        draft.id = id
        return ([draft], .made(201) { $0.field("event", id) })
    }

    // MARK: Deciding

    /// Throws a `Problem` if the time is so long ago that its year is probably mistyped.
    func checkRecent(_ happened: Instant) throws(Problem) {
        guard !LotRules.isTooLongAgo(happened, at: now) else {
            throw Problem(
                422, "too-long-ago",
                "happened: \(happened) is more than three years ago; look at the year. "
                    + "What was done so long ago is not recorded any more.")
        }
    }

    /// Returns when a step of a lot happened. Throws a `Problem` if that is before the step that must precede it.
    ///
    /// People enter no seconds, so a time in the same minute counts as just after the preceding step.
    private func happened(_ time: Instant?, since first: Instant, _ what: String) throws(Problem) -> Instant? {
        guard let time = try past(time, "happened") else { return nil }
        guard time > first.advanced(bySeconds: -60) else {
            throw Problem(
                422, "too-early",
                "happened: \(time) is before \(what), which was \(first); look at the day and the year.")
        }
        return max(time, first)
    }

    /// Returns the row of a lot; throws a 404 if there is no such lot.
    private func row(of lot: LotID) throws(Problem) -> LotRow {
        guard let row = tables.get(LotRow.self, lot.rawValue) else { throw unknown(lot) }
        return row
    }

    /// Returns the row of a lot that may have one more step of a repeatable kind. Throws a `Problem` if it has the most
    /// steps already.
    ///
    /// It can still be split, labelled, handed over and recalled.
    private func rowWithStepsLeft(of lot: LotID) throws(Problem) -> LotRow {
        let row = try row(of: lot)
        guard row.steps < LedgerLimits.custodySteps else {
            throw Problem(
                409, "too-many-steps", "Lot \(lot) has been through \(LedgerLimits.custodySteps) steps; split it.")
        }
        return row
    }

    private func unknown(_ lot: LotID) -> Problem {
        Problem(404, "unknown-lot", "There is no lot \(lot).")
    }

    private func decide(_ command: Lot.Command, _ lot: LotID) throws(Problem) -> [TraceEvent] {
        let state = tables.get(LotRow.self, lot.rawValue)?.state ?? Lot.initial
        do {
            return try Lot.decide(command, in: state)
        } catch {
            throw error.problem(lot)
        }
    }

    private func drafts(_ facts: [TraceEvent], _ lot: LotID, _ farm: FarmID, at time: Instant? = nil) -> [Draft] {
        facts.map { draft($0.event, "lot/\(lot)", at: time, farm: farm) }
    }

    /// Returns the requested lot number, or a new one from the farm's day and random letters.
    private func newLot(_ asked: LotID?, at time: Instant, _ farm: FarmID) throws(Problem) -> LotID {
        guard let asked else {
            let day = zones.day(of: time, at: farm, tables).replacing("-", with: "").dropFirst(2)
            // Five random letters, and more if that number is taken.
            let names = [3, 5, 7].map { "L\(day)-" + BaseEncoding.base32.encode(Array(ask.entropy.prefix($0))) }
            guard let free = names.first(where: { tables.get(LotRow.self, $0) == nil }) else {
                throw Problem(409, "known", "There is a lot \(names[2]).")
            }
            return LotID(free)
        }
        guard tables.get(LotRow.self, asked.rawValue) == nil else {
            throw Problem(409, "known", "There is a lot \(asked).")
        }
        return asked
    }

    /// Returns the requested item number, the one that the farm used for this product before, or the next internal one.
    private func gtin(_ asked: GTIN?, of product: String, _ farm: FarmID) throws(Problem) -> GTIN {
        let own = tables.get(LedgerProductRow.self, "\(farm)|\(product)")
        if let asked {
            // In older journals two products may have one number; both retain it.
            guard own?.gtin != asked else { return asked }
            let others = tables.find(
                LedgerProductRow.self, where: "gtin", is: asked.digits, limit: LedgerLimits.scanned)
            if let owner = LotRules.owner(of: others.map(\.product), for: product) {
                throw Problem(
                    409, "gtin-taken",
                    "gtin: \(asked) is the item number of \(owner); two products cannot share one.")
            }
            return asked
        }
        if let own { return own.gtin }
        let taken = Set(tables.scan(LedgerProductRow.self, limit: 100_000).map(\.gtin))
        for number in (taken.count + 1)...(2 * taken.count + 1) {
            if let gtin = GTIN.restricted(number), !taken.contains(gtin) { return gtin }
        }
        throw Problem(409, "no-numbers-left", "All item numbers of this server are used.")
    }
}

extension Lot.Refusal {
    func problem(_ lot: LotID) -> Problem {
        switch self {
        case .unknown: Problem(404, "unknown-lot", "There is no lot \(lot).")
        case .known: Problem(409, "known", "Lot \(lot) was harvested already.")
        case .handedOver: Problem(409, "handed-over", "Lot \(lot) has left the farm.")
        case .tooMuch(let left): Problem(409, "too-much", "Only \(left) g of lot \(lot) are left.")
        case .tooLittle(let used):
            Problem(409, "too-little", "\(used) g of lot \(lot) are packed or split off already; it weighed no less.")
        case .notHarvested(let parent):
            Problem(409, "not-harvested", "Lot \(lot) was split off lot \(parent); its weight is what was split off.")
        case .tooManyBoxes(let most): Problem(409, "too-many-boxes", "A lot has \(most) boxes at most; split it first.")
        case .nothing: Problem(400, "malformed", "The amount must be more than nothing.")
        case .held(let reason):
            Problem(
                409, "held", "Lot \(lot) is held: \(reason) A grower or an administrator can release it with a reason.")
        case .notHeld: Problem(409, "not-held", "Lot \(lot) is not held.")
        case .heldWith(let parent):
            Problem(409, "part-of-held-lot", "Lot \(lot) was split off lot \(parent) and is released with its harvest.")
        case .recalled(let reason): Problem(409, "recalled", "Lot \(lot) was recalled: “\(reason)”.")
        case .notPacked: Problem(409, "not-packed", "Lot \(lot) has no boxes yet; pack it first.")
        }
    }
}
