//! Workloads: circuits with valid witnesses, real Filecoin ones among them.
