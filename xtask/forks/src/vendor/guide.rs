//! What tells the user of a vendored folder how to use it. Pure text.

use crate::Fork;

/// The `[patch]` lines.
pub(super) fn snippet(forks: &[Fork]) -> String {
    let lines: String = forks.iter().map(|fork| format!("{0} = {{ path = \"{0}\" }}\n", fork.name)).collect();
    format!(
        "# For the Cargo.toml at the root of your workspace. The paths are from this folder: write before each where this\n\
         # folder lies, seen from there. Delete the lines of crates that are not in your graph.\n[patch.crates-io]\n{lines}"
    )
}

/// How to use the folder, and how to see that it is used.
pub(super) fn readme(forks: &[Fork]) -> String {
    let crates: String = forks
        .iter()
        .map(|fork| format!("- `{0}` {1}: see [{0}/PATCHES.md]({0}/PATCHES.md)\n", fork.name, fork.version))
        .collect();
    let trees: String = forks.iter().map(|fork| format!("cargo tree --invert {}\n", fork.name)).collect();
    TEXT.replace("CRATES", &crates).replace("TREES", &trees)
}

const TEXT: &str = r#"# Patched crates

Releases from crates-io with patches, as plain files:

CRATES
`PATCHES.md` in each folder names release, licence, patches and every changed file; `patches/` beside it holds the
patches. All of it is generated: a change made here is lost when the folder is written again.

## Use

1. Put this folder into your repository, say as `patched/`. If it lies below the root of your workspace, exclude it, for
   cargo reports a patch that nothing uses only if the patch is no member:

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

No `rust-toolchain` or `rust-toolchain.toml` of the releases is here: rustup would obey it inside the crate's folder. Your
workspace's own choice holds.
"#;
