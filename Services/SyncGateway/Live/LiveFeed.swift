import EventSourcing
import Events
import Host
import JSON
import Vocabulary

/// The events that live streams receive: alarms and counts of stocktakes at once, readings at most once a second for
/// each place.
struct LiveFeed {
    static let topics = ["alarms", "readings", "stocktakes"]
    /// What readers receive of beacons, once a second; only streams that name the topic receive it.
    static let beaconTopic = "beacons"
    static let allTopics = topics + [beaconTopic]
    /// The topic of clients that synchronise market records.
    static let syncTopic = "sync"

    /// Returns the topic that a person's streams subscribe to besides. Nothing is published there; it serves to end
    /// them when the person loses access.
    static func topic(of person: PersonID) -> String { "person/\(person)" }

    private struct Waiting {
        let device: DeviceID
        let readings: [Reading]
        let at: Instant
    }

    /// The newest reading of each place that is not published yet.
    private var waiting: [String: Waiting] = [:]
    /// The tick in which each place's reading was published last.
    private var sent: [String: UInt64] = [:]
    private var places: [String: Place] = [:]
    /// Whether there are changes to pull that clients have not been notified of.
    private var hasChange = false
    /// The tick in which they were notified last.
    private var changeSent: UInt64?

    /// Returns the notifications of events.
    /// - Parameter name: returns a person's name, for those who count at the same time; nil if it is not known.
    mutating func hear(
        _ events: [RecordedEvent], seeing tables: any Tables, name: (Actor) -> String?
    ) -> [Effect] {
        var effects: [Effect] = []
        for recorded in events {
            switch recorded.fact {
            case .catalog, .orders, .trace: hasChange = true
            case .inventory, .sensors, .sync, .journal, .recommendations: break
            }
            if case .inventory(let fact) = recorded.fact { effects += stocktake(fact, recorded.envelope, name) }
            guard case .sensors(let fact) = recorded.fact else { continue }
            switch fact {
            case .alarmRaised(let event): effects.append(alarm(event, recorded.envelope.time, isRaised: true))
            case .alarmCleared(let event):
                let row = tables.get(GatewayAlarmRow.self, GatewayAlarmRow.key(event.rule, event.point))
                effects.append(alarm(event, recorded.envelope.time, isRaised: false, limit: row?.limit))
            case .measured(let report): keep(report, recorded.envelope.time, tables)
            case .alarmAcknowledged(let event):
                effects.append(notification(event, "acknowledged", recorded.envelope))
            case .alarmShelved(let event): effects.append(notification(event, "shelved", recorded.envelope))
            case .beaconRegionEntered(let event):
                effects.append(notification(event, "region-entered", recorded.envelope, topic: Self.beaconTopic))
            case .beaconRegionLeft(let event):
                effects.append(notification(event, "region-left", recorded.envelope, topic: Self.beaconTopic))
            case .rawReported, .reportHeard, .beaconHeard, .quarantined, .pointBound, .ruleSet, .deviceIdentified,
                .valuesRefused, .advertKept, .advertDecoded, .alarmNotificationRequested, .onCallSet,
                .deviceCalibrated, .pointRetired,
                .networkFormed, .joiningPermitted, .deviceJoined, .deviceInterviewed, .deviceRemoved, .deviceLeft,
                .beaconRegionSet, .beaconRegionRemoved:
                break
            }
        }
        return effects
    }

    /// Returns the notifications and readings that are due.
    mutating func tick(_ tick: UInt64) -> [Effect] {
        sent = sent.filter { $0.value + GatewayLimits.readingTicks > tick }
        var effects: [Effect] = []
        // At once after a pause, and then at most once a second.
        if hasChange, changeSent.map({ tick >= $0 + GatewayLimits.readingTicks }) ?? true {
            (hasChange, changeSent) = (false, tick)
            effects.append(.publish(topic: Self.syncTopic, name: "changed", data: Array("{}".utf8)))
        }
        for (name, reading) in waiting.sorted(by: { $0.key < $1.key }) where sent[name] == nil {
            effects.append(self.reading(reading, at: places[name]))
            sent[name] = tick
            waiting[name] = nil
            places[name] = nil
        }
        return effects
    }

    private mutating func keep(_ report: Measured, _ time: Instant, _ tables: any Tables) {
        let placed = report.divided { tables.get(GatewayDevicePlaceRow.self, $0.rawValue)?.place }
        for part in placed {
            let readings = tables.calibrated(part.readings, of: part.device, at: time)
            keep(Waiting(device: part.device, readings: readings, at: time), of: part.point)
        }
        if placed.isEmpty { keep(Waiting(device: report.device, readings: report.readings, at: time), of: nil) }
    }

    private mutating func keep(_ reading: Waiting, of place: Place?) {
        let name = place?.description ?? reading.device.rawValue
        if let other = waiting[name], other.at > reading.at { return }
        guard waiting[name] != nil || waiting.count < GatewayLimits.livePlaces else { return }
        waiting[name] = reading
        places[name] = place
    }

    private func reading(_ reading: Waiting, at place: Place?) -> Effect {
        var json = JSONWriter()
        json.object { json in
            json.field("place", ifPresent: place)
            json.field("device", reading.device)
            json.field("readings", reading.readings)
            json.field("at", reading.at)
        }
        return .publish(topic: "readings", name: "reading", data: json.bytes)
    }

    /// Returns the notification of what was seen in a stocktake, or that its report is to be read again.
    private func stocktake(
        _ fact: InventoryEvent, _ envelope: Envelope, _ name: (Actor) -> String?
    ) -> [Effect] {
        var json = JSONWriter()
        switch fact {
        case .itemsCounted(let event):
            json.object { json in
                json.field("stocktake", event.stocktake)
                json.field("things", event.sightings.map(\.thing))
                json.field("by", envelope.actor)
                json.field("name", ifPresent: name(envelope.actor))
                json.field("place", ifPresent: event.sightings.last?.place)
            }
            return [.publish(topic: "stocktakes", name: "counted", data: json.bytes)]
        case .differenceResolved(let event): json.object { $0.field("stocktake", event.stocktake) }
        case .stocktakeFinished(let event): json.object { $0.field("stocktake", event.stocktake) }
        case .inventorySet, .itemSet, .itemRemoved, .farmMapSet, .stocktakeStarted: return []
        }
        return [.publish(topic: "stocktakes", name: "stocktake", data: json.bytes)]
    }

    /// Returns the notification of an event, with its actor and time.
    private func notification(
        _ event: any Event, _ name: String, _ envelope: Envelope, topic: String = "alarms"
    ) -> Effect {
        var json = JSONWriter()
        json.object { json in
            event.write(fields: &json)
            json.field("by", envelope.actor)
            json.field("at", envelope.time)
        }
        return .publish(topic: topic, name: name, data: json.bytes)
    }

    private func alarm(_ event: any Event, _ time: Instant, isRaised: Bool, limit: Double? = nil) -> Effect {
        var json = JSONWriter()
        json.object { json in
            event.write(fields: &json)
            json.field("limit", ifPresent: limit)
            json.field("at", time)
            json.field("raised", isRaised)
        }
        return .publish(topic: "alarms", name: "alarm", data: json.bytes)
    }
}
