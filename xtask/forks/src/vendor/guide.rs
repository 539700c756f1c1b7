//! What tells the user of a vendored folder how to use it. Pure text.

use super::notice::FILE;
use crate::Fork;

/// The `[patch]` lines.
pub(super) fn snippet(forks: &[Fork]) -> String {
    let line = |fork: &Fork| {
        let package = if fork.name == fork.krate { String::new() } else { format!("package = \"{}\", ", fork.krate) };
        format!("{0} = {{ {package}path = \"{0}\" }}\n", fork.name)
    };
    let lines: String = forks.iter().map(line).collect();
    format!(
        "# For the Cargo.toml at the root of your workspace. The paths are from this folder: write before each where it\n\
         # lies, seen from there. Delete the lines of crates that are not in your graph.\n[patch.crates-io]\n{lines}"
    )
}

/// How to use the folder, and how to see that it is used.
pub(super) fn readme(forks: &[Fork]) -> String {
    let line = |fork: &Fork| format!("- [`{}`]({1}/{FILE}) {2}, in `{1}/`\n", fork.krate, fork.name, fork.version);
    let tree = |fork: &Fork| format!("cargo tree --invert {}@{}\n", fork.krate, fork.version);
    let crates: String = forks.iter().map(line).collect();
    let trees: String = forks.iter().map(tree).collect();
    TEXT.replace("CRATES", &crates).replace("TREES", &trees)
}

const TEXT: &str = r#"# Patched crates

Releases from crates-io with patches, as plain files:

CRATES
`PATCHES.md` in each folder names release, licence, patches and every changed file; `patches/` beside it holds the
patches. All of it is generated: a change made here is lost when the folder is written again.

## Use

1. Put this folder into your repository, say as `patched/`. If it lies below the root of your workspace, exclude it:
   of a patch that is a member, cargo does not say that nothing uses it.

   ```toml
   [workspace]
   exclude = ["patched"]
   ```

2. Copy the lines of `patch.toml` to the Cargo.toml at the root of your workspace, with `patched/` before each path.
   Delete the lines of crates that are not in your graph: cargo downgrades other crates to fit a patch that it cannot use.
3. Have cargo take them, also where Cargo.lock names the releases: `cargo update CRATE` for each, or `cargo metadata
   --format-version 1 > /dev/null` in a workspace without a lock file.

## Check

A patch that does not fit is no error to cargo: it takes the release and says little. So look, after every update:

```
TREES```

Each must name the folder here behind the version, and no second version may be there (`cargo tree --duplicates`). A
`[[patch.unused]]` in Cargo.lock names a patch that cargo does not use: a dependant requires another version, or nothing
requires the crate.

No `rust-toolchain` or `rust-toolchain.toml` of the releases is here: rustup would obey it inside the crate's folder.
Your workspace's own choice holds.
"#;
