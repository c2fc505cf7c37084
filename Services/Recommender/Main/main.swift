import Recommender

Recommender.main()
