public import Observation

/// The page of one product.
@MainActor
@Observable
public final class ProductModel: ViewModel {
    public let farm: FarmClient
    public var lastError: FarmClientError?
    /// The id of the product.
    public let id: String
    /// The product; nil if the shop does not list it, or before the first reading.
    public private(set) var product: ShopProduct?
    /// The bytes of its picture; nil until they are loaded, and if there is none.
    public private(set) var picture: [UInt8]?

    public init(_ farm: FarmClient, product: String) {
        self.farm = farm
        id = product
    }

    public func update() async throws(FarmClientError) {
        let before = product?.picture
        product = try await catalog().products.first { $0.id == id }
        if product?.picture != before { picture = nil }
    }

    /// Loads the picture: from the device, else from the farm.
    public func loadPicture() async {
        guard let name = product?.picture, picture == nil else { return }
        do throws(FarmClientError) {
            let bytes = try await farm.picture(name)
            if product?.picture == name { picture = bytes }
        } catch {
            // Without a network the page has no picture, and no lastError.
            if error.code != .unreachable { lastError = error }
        }
    }
}
