// Has no code: with it the precompiled headers of the tests are compiled.
