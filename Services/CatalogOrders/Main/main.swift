import CatalogOrders

CatalogOrders.main()
