import SensorIngest

SensorIngest.main()
