//! One module a verb: `Args` is its command line, `run` does it.
