"""A plugin of causal_disent with a model that `dlib_train` trains."""
