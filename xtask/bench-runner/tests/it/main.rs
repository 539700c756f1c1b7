//! The runner through its front door, over a stand-in for `prove-once`: a shell script that prints what it is told to.

mod campaign;
mod runner;
mod stand_in;
