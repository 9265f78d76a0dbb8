// Has nothing of its own: with it the headers are compiled that the tests have precompiled.
