//! Recordings of a circuit: matrices, witness, products, replay.
