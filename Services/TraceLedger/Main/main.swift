import TraceLedger

TraceLedger.main()
