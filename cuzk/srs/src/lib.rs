//! Parameter files: test parameters, their cache and their checks.
