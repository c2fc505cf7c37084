/// The texts of a stocktake's report in one language. `{0}` stands for the first value.
struct ReportWords: Sendable, Equatable {
    /// Headings of the groups, by the state of their lines, in the order of the report.
    let groups: [[String]]
    let started: String
    let finished: String
    let isOpen: String
    let times: String
    let found: String
    let valueFound: String
    let valueMissing: String
    let digest: String
    let picturesLeftOut: String
    let code: String
    let beacon: String
    let seen: String
    let once: String
    let often: String
    let onePerson: String
    let people: String
    let decided: String
    /// What the states of decisions are called.
    let decisions: [String: String]
    let page: String

    static func of(_ language: PageLanguage?) -> ReportWords {
        switch language {
        case .german: german
        case .spanish: spanish
        case .english, nil: english
        }
    }

    /// Returns a text with its values.
    static func fill(_ text: String, _ values: Any...) -> String {
        values.enumerated().reduce(text) { $0.replacing("{\($1.offset)}", with: "\($1.element)") }
    }

    private static let english = ReportWords(
        groups: [
            ["missing", "Missing"], ["doubled", "Seen at several places"], ["unexpected", "Unexpected"],
            ["found", "Found"], ["removed", "Removed during the count"],
        ],
        started: "Started {0}.", finished: "Finished {0}.", isOpen: "Not finished: this is how it stands now.",
        times: "Times of {0}.", found: "{0} of {1} items found, {2} missing, {3} unexpected.",
        valueFound: "Value of what was found: {0}.", valueMissing: "Value of what is missing: {0}.",
        digest: "SHA-256 of the report's lines in the farm's log: {0}",
        picturesLeftOut: "{0} pictures are left out: they are not stored, no JPEG or PNG, or exceed {1} MiB together.",
        code: "Code {0}", beacon: "Beacon {0}", seen: "Seen {0} by {1}, last {2}", once: "once", often: "{0} times",
        onePerson: "one person", people: "{0} people", decided: "Decided: {0}",
        decisions: ["present": "present", "missing": "missing", "ignored": "ignored"], page: "Page {0}")

    private static let german = ReportWords(
        groups: [
            ["missing", "Fehlend"], ["doubled", "An mehreren Orten gesehen"], ["unexpected", "Unerwartet"],
            ["found", "Gefunden"], ["removed", "Während der Zählung entfernt"],
        ],
        started: "Begonnen {0}.", finished: "Beendet {0}.", isOpen: "Nicht beendet: So steht es jetzt.",
        times: "Zeiten von {0}.", found: "{0} von {1} Gegenständen gefunden, {2} fehlen, {3} unerwartet.",
        valueFound: "Wert des Gefundenen: {0}.", valueMissing: "Wert des Fehlenden: {0}.",
        digest: "SHA-256 der Zeilen des Berichts im Protokoll des Hofs: {0}",
        picturesLeftOut: "{0} Bilder fehlen: Sie sind nicht gespeichert, weder JPEG noch PNG, oder zusammen größer als "
            + "{1} MiB.",
        code: "Code {0}", beacon: "Beacon {0}", seen: "{0} gesehen von {1}, zuletzt {2}", once: "Einmal",
        often: "{0} Mal", onePerson: "einer Person", people: "{0} Personen", decided: "Entschieden: {0}",
        decisions: ["present": "vorhanden", "missing": "fehlt", "ignored": "gehört nicht hierher"], page: "Seite {0}")

    private static let spanish = ReportWords(
        groups: [
            ["missing", "Faltan"], ["doubled", "Vistos en varios lugares"], ["unexpected", "Inesperados"],
            ["found", "Encontrados"], ["removed", "Quitados durante el recuento"],
        ],
        started: "Empezado {0}.", finished: "Terminado {0}.", isOpen: "Sin terminar: así está ahora.",
        times: "Horas de {0}.", found: "{0} de {1} artículos encontrados, {2} faltan, {3} inesperados.",
        valueFound: "Valor de lo encontrado: {0}.", valueMissing: "Valor de lo que falta: {0}.",
        digest: "SHA-256 de las líneas del informe en el registro de la finca: {0}",
        picturesLeftOut: "Faltan {0} imágenes: no están guardadas, no son JPEG ni PNG, o juntas superan {1} MiB.",
        code: "Código {0}", beacon: "Baliza {0}", seen: "Visto {0} por {1}, por última vez {2}", once: "una vez",
        often: "{0} veces", onePerson: "una persona", people: "{0} personas", decided: "Decidido: {0}",
        decisions: ["present": "está", "missing": "falta", "ignored": "no es de aquí"], page: "Página {0}")
}
