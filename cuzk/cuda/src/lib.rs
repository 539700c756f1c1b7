//! CUDA devices and the supraseal-c2 prover.
