import SyncGateway

SyncGateway.main()
