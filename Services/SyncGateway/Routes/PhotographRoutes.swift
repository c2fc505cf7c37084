import Events
import Vocabulary
import Wire

/// The routes of photographs.
extension Routes {
    private static let taken: Shape = ["place": .form(.place), "camera?": .name, "at?": .time]
    private static let recorded: Shape = ["photograph": .name]

    static let photographs: [Route] = [
        .own(
            .post, "/v1/photographs", .takePhotograph, for: .atLeast(.grower),
            "Records a photograph of a plot or store (JPEG, PNG, WebP), sent with a camera's or a grower's token. Place "
                + "and device in it are removed. The same picture of a place is recorded once.",
            where: taken, headers: ["Idempotency-Key?": .form(.key)], takes: .picture,
            gives: .json(201, .object(recorded))),
        .own(
            .post, "/v1/photographs/{token}", .takePhotographByToken, for: .radioGateway,
            "The same for a camera that can send its token in the address only.",
            where: taken, headers: ["Idempotency-Key?": .form(.key)], takes: .picture,
            gives: .json(201, .object(recorded))),
        .query("/v1/photographs", .land(.photographs)),
        .command(
            .put, "/v1/photographs/{photograph}/story", .ledger(.showPhotograph), for: .grower,
            gives: ["photograph": .name], status: 200),
        .command(
            .post, "/v1/photographs/{photograph}/removal", .ledger(.removePhotograph), for: .grower,
            gives: ["photograph": .name],
            status: 201),
    ]
}
