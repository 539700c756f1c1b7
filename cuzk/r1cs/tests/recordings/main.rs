//! Recordings by their public face: what they hold, their files, their replays.

mod file;
mod random_circuit;
mod replay;
