//! A wrapper around nvcc that replaces the caller's GPU architectures by ours.
//!
//! The stock build script of supraseal-c2 names architectures of its own (machine code for sm_75, sm_80 and sm_120
//! with CUDA 13, none for sm_90), and nvcc's own variables can only add to them.

use std::{
    fs, io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use super::arch::Arch;

/// Writes the wrapper for these architectures and gives its path. The path names the architectures, so cargo rebuilds
/// when they change (build scripts watch `NVCC`), and the content is rewritten only when it differs.
pub(super) fn write(root: &Path, nvcc: &Path, archs: &[Arch]) -> io::Result<PathBuf> {
    let names: Vec<String> = archs.iter().map(ToString::to_string).collect();
    let folder = root.join("target/cuda/wrappers").join(names.join("-"));
    fs::create_dir_all(&folder)?;
    let path = folder.join("nvcc");
    let script = script(nvcc, archs);
    if fs::read_to_string(&path).ok().as_deref() != Some(&script) {
        let mut file = tempfile::NamedTempFile::new_in(&folder)?;
        io::Write::write_all(&mut file, script.as_bytes())?;
        fs::set_permissions(file.path(), fs::Permissions::from_mode(0o755))?;
        file.persist(&path)?;
    }
    Ok(path)
}

fn script(nvcc: &Path, archs: &[Arch]) -> String {
    let ours: Vec<String> = archs.iter().map(|a| format!("-gencode {}", a.gencode())).collect();
    let nvcc = nvcc.display().to_string().replace('\'', r"'\''");
    format!(
        r#"#!/bin/sh
# Written by cargo xtask: nvcc for {}, whatever architectures the caller names.
drop_next=
for argument do
    shift
    if [ -n "$drop_next" ]; then drop_next=; continue; fi
    case $argument in
    -gencode|--generate-code|-arch|--gpu-architecture|-code|--gpu-code) drop_next=yes ;;
    -gencode=*|--generate-code=*|-arch=*|--gpu-architecture=*|-code=*|--gpu-code=*) ;;
    *) set -- "$@" "$argument" ;;
    esac
done
exec '{nvcc}' {} "$@"
"#,
        archs.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        ours.join(" "),
    )
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// The wrapper around a program that prints its arguments.
    #[test]
    fn foreign_architectures_are_dropped_and_ours_put_in() {
        let dir = tempfile::tempdir().expect("a folder");
        let echo = dir.path().join("it's nvcc");
        fs::write(&echo, "#!/bin/sh\nprintf '[%s]' \"$@\"\n").expect("written");
        fs::set_permissions(&echo, fs::Permissions::from_mode(0o755)).expect("made executable");
        let archs = ["sm_80".parse().expect("known"), "sm_90".parse().expect("known")];
        let wrapper = write(dir.path(), &echo, &archs).expect("written");
        let output = Command::new(&wrapper)
            .args(["-gencode", "arch=compute_80,code=\"compute_80,sm_80\"", "-t0", "-arch=sm_70", "-c", "a b.cu"])
            .output()
            .expect("run");
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            "[-gencode][arch=compute_80,code=sm_80][-gencode][arch=compute_90,code=sm_90][-t0][-c][a b.cu]"
        );
    }

    #[test]
    fn an_unchanged_wrapper_is_left_alone() {
        let dir = tempfile::tempdir().expect("a folder");
        let archs = ["sm_90".parse().expect("known")];
        let first = write(dir.path(), Path::new("/opt/nvcc"), &archs).expect("written");
        let before = fs::metadata(&first).expect("there").modified().expect("a time");
        let again = write(dir.path(), Path::new("/opt/nvcc"), &archs).expect("written");
        assert_eq!(first, again);
        assert_eq!(before, fs::metadata(&again).expect("there").modified().expect("a time"));
    }
}
