import EventSourcing
import Events
import Vocabulary

/// Projects people, the outbox, and the alarms and device places that the live feed needs.
enum GatewayViews {
    static func apply(_ fact: SyncEvent, _ envelope: Envelope, to tables: some Tables, _ board: SyncRecordWriter) {
        switch fact {
        case .staffEnrolled(let event):
            enrol(event.person, as: event.role, envelope, tables)
        case .buyerEnrolled(let event): enrol(event.person, as: .buyer, envelope, tables)
        case .sitePresented(let event):
            board.put("site", "site") { event.write(fields: &$0) }
        case .messageSent(let event): close(event.message, as: .sent, nil, envelope, tables)
        case .messageGaveUp(let event):
            if let row = tables.get(OutboxRow.self, event.message.description) {
                keep(FailedMessageRow(row, event.reason, at: envelope.time), tables)
            }
            close(event.message, as: .failed, event.reason, envelope, tables)
        case .messageWithdrawn(let event): close(event.message, as: .withdrawn, event.reason, envelope, tables)
        case .notificationChannelSet(let event): ChannelRow.apply(event, tables)
        case .promotionNotified(let event): PromotionMessages.notify(event, envelope, tables)
        case .serverTroubleRaised(let event): ServerMessages.raise(event, envelope, tables)
        case .serverTroubleCleared(let event): ServerMessages.clear(event, envelope, tables)
        case .accessChanged, .signInsCounted: break
        case .personErased(let event):
            SyncOrderViews.forget(event.person, board)
            ChannelRow.forget(event.person, tables)
            tables.remove(PersonNotificationsRow.self, event.person.rawValue)
            guard var row = tables.get(StaffRow.self, event.person.rawValue) else { return }
            row.erased = envelope.time
            tables.put(row)
        }
    }

    private static func keep(_ row: FailedMessageRow, _ tables: some Tables) {
        tables.put(row)
        let all = tables.scan(FailedMessageRow.self, limit: GatewayLimits.givenUp + 1)
        if all.count > GatewayLimits.givenUp { tables.remove(FailedMessageRow.self, all[0].key) }
    }

    /// Removes a message from the outbox after it was sent, withdrawn or has failed.
    private static func close(
        _ message: UUID, as outcome: DeliveryRow.Outcome, _ reason: String?, _ envelope: Envelope,
        _ tables: some Tables
    ) {
        guard let row = tables.get(OutboxRow.self, message.description) else { return }
        AlarmMessages.close(row, as: outcome, reason, at: envelope.time, tables)
        tables.remove(OutboxRow.self, message.description)
    }

    static func apply(_ fact: OrdersEvent, _ envelope: Envelope, to tables: some Tables) {
        if let row = OutboxRow(fact, envelope.id) { tables.put(row) }
        if case .orderImported(let event) = fact { enrol(event.buyer, as: .buyer, envelope, tables) }
    }

    private static func enrol(_ person: PersonID, as role: Role, _ envelope: Envelope, _ tables: some Tables) {
        guard tables.get(StaffRow.self, person.rawValue) == nil else { return }
        tables.put(StaffRow(person, as: role, at: envelope.time))
    }

    static func apply(_ fact: SensorsEvent, _ envelope: Envelope, to tables: some Tables) {
        switch fact {
        case .pointBound(let event): bind(event, tables)
        case .pointRetired(let event): unbind(event.point, tables)
        case .deviceCalibrated(let event): tables.calibrate(event, at: envelope.time)
        case .alarmRaised(let event):
            let row = GatewayAlarmRow(event, at: envelope.time)
            guard tables.get(GatewayAlarmRow.self, row.key) != nil || hasRoom(tables) else { return }
            tables.put(row)
        case .alarmCleared(let event):
            guard var row = tables.get(GatewayAlarmRow.self, GatewayAlarmRow.key(event.rule, event.point)) else {
                return
            }
            row.cleared = envelope.time
            tables.put(row)
        case .alarmNotificationRequested(let event):
            AlarmMessages.request(event, envelope, tables)
        case .alarmAcknowledged(let event): AlarmMessages.acknowledge(event, tables)
        case .alarmShelved(let event): AlarmMessages.shelve(event, at: envelope.time, tables)
        case .measured, .rawReported, .reportHeard, .beaconHeard, .quarantined, .ruleSet, .deviceIdentified,
            .valuesRefused, .advertKept, .advertDecoded, .onCallSet, .networkFormed, .joiningPermitted, .deviceJoined,
            .deviceInterviewed, .deviceRemoved, .deviceLeft,
            .beaconRegionSet, .beaconRegionRemoved, .beaconRegionEntered, .beaconRegionLeft:
            break
        }
    }

    private static func hasRoom(_ tables: some Tables) -> Bool {
        tables.scan(GatewayAlarmRow.self, limit: GatewayLimits.alarms).count < GatewayLimits.alarms
    }

    private static func unbind(_ point: PointID, _ tables: some Tables) {
        for row in tables.find(GatewayDevicePlaceRow.self, where: "point", is: point.rawValue, limit: 16) {
            tables.remove(GatewayDevicePlaceRow.self, row.key)
        }
    }

    private static func bind(_ event: PointBound, _ tables: some Tables) {
        unbind(event.point, tables)
        tables.put(GatewayDevicePlaceRow(.manual(event.point), point: event.point, place: event.place))
        if let device = event.device {
            tables.put(GatewayDevicePlaceRow(device, point: event.point, place: event.place))
        }
    }
}
