#!/usr/bin/env bash
# Everything that must hold before a change lands: formatting, lints, the README's test command, the CUDA code of the
# arm `all`. Needs Rust, Python 3, git and gcc; fetches the CUDA compiler and a browser itself. Keeps no state outside target/.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TERM_COLOR=never CARGO_INCREMENTAL=0

step() { printf '\n== %s\n' "$*" >&2; "$@"; }

# The wheels of the CUDA compiler need pip; Debian packages it apart from Python.
if ! python3 -m pip --version >/dev/null 2>&1; then
    step apt-get install --yes --quiet python3-pip
fi

# The page of a benchmark is tested in it.
if ! chromium --version >/dev/null 2>&1; then
    step apt-get update --quiet
    step apt-get install --yes --quiet chromium
fi
export CUZK_CHROMIUM=required

step cargo fmt --manifest-path xtask/Cargo.toml --all --check
step cargo fmt --all --check
step cargo clippy --quiet --manifest-path xtask/Cargo.toml --workspace --all-targets --locked -- -D warnings
step cargo xtask apply
step cargo xtask report --check
step cargo clippy --quiet --release --workspace --all-targets --locked -- -D warnings
step cargo xtask build --cuda --arch sm_90 --arm all
step cargo xtask verify --subsets bellpepper-core bellperson
step cargo xtask test
