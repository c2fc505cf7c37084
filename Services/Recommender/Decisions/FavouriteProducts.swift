/// The products that a person's favourites lead to, by number.
struct FavouriteProducts {
    /// Favourite products, the latest favourite first.
    var products: [Int] = []
    /// Products of favourite farms that are no favourites themselves, the newest of each farm first.
    var ofFarms: [Int] = []

    /// Returns why the product is suggested, or nil if no favourite leads to it.
    func reason(of number: Int) -> Reason? {
        products.contains(number) ? .favourite : ofFarms.contains(number) ? .favouriteFarm : nil
    }
}
