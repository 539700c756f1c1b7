//! The one place where git is run. The user's configuration, attributes, hooks and environment are shut out, so that
//! what is written depends on the commits alone. Knows nothing of forks.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use crate::{Error, Result, step};

/// Settings that a repository's own configuration could bend, held straight on every call.
const SETTINGS: &[&str] = &[
    "advice.detachedHead=false",
    "apply.ignoreWhitespace=no",
    "apply.whitespace=nowarn",
    "commit.gpgSign=false",
    "core.abbrev=40",
    "core.attributesFile=/dev/null",
    "core.autocrlf=false",
    "core.eol=lf",
    "core.excludesFile=/dev/null",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.quotePath=true",
    "core.safecrlf=false",
    "core.untrackedCache=false",
    "diff.algorithm=myers",
    "diff.context=1",
    "diff.external=",
    "diff.indentHeuristic=true",
    "diff.interHunkContext=0",
    "diff.mnemonicPrefix=false",
    "diff.noprefix=false",
    "diff.orderFile=/dev/null",
    "diff.renames=false",
    "diff.suppressBlankEmpty=false",
    "gc.auto=0",
    "i18n.commitEncoding=UTF-8",
    "i18n.logOutputEncoding=UTF-8",
    "log.showSignature=false",
    "maintenance.auto=false",
    "merge.conflictStyle=zdiff3",
    "merge.directoryRenames=false",
    "merge.renames=true",
    "merge.renormalize=false",
    "safe.directory=*",
    "tag.gpgSign=false",
];

/// The calls that change a repository's refs, index or files.
const CHANGING: &[&str] = &["cherry-pick", "config", "symbolic-ref", "update-ref"];

/// The tree without files: attributes are read from it, so from nowhere.
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// A repository to run git in.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    git_dir: PathBuf,
    work_tree: Option<PathBuf>,
}

impl Git {
    /// The bare repository at `git_dir`.
    pub(crate) fn bare(git_dir: &Path) -> Self {
        Self { git_dir: git_dir.to_owned(), work_tree: None }
    }

    /// The repository whose files lie in `folder`.
    pub(crate) fn folder(folder: &Path) -> Self {
        Self { git_dir: folder.join(".git"), work_tree: Some(folder.to_owned()) }
    }

    /// The repository that `folder` is in, or is: of a clone, one of its folders, or a worktree linked to it.
    pub(crate) fn around(folder: &Path) -> Result<Option<Self>> {
        let mut command = isolated();
        command.arg("-C").arg(folder);
        let output = Call::new(command, ["rev-parse", "--absolute-git-dir"]).output()?;
        let shown = String::from_utf8_lossy(&output.stdout);
        Ok(output.status.success().then(|| Self::bare(Path::new(shown.trim_end()))))
    }

    /// The repository's own folder.
    pub(crate) fn dir(&self) -> &Path {
        &self.git_dir
    }

    /// A call of git with `args`.
    pub(crate) fn call<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Call {
        let mut command = isolated();
        command.arg("--git-dir").arg(&self.git_dir);
        let outside = match &self.work_tree {
            Some(folder) => {
                command.arg("--work-tree").arg(folder).current_dir(folder);
                folder.parent()
            }
            None => self.git_dir.parent(),
        };
        if let Some(outside) = outside {
            command.env("GIT_CEILING_DIRECTORIES", outside);
        }
        Call::new(command, args)
    }

    /// Makes the repository, empty, with `main` as its branch.
    pub(crate) fn init(&self) -> Result<()> {
        check_version()?;
        let mut command = isolated();
        command.args(["init", "--quiet", "--template=", "--initial-branch=main"]);
        match &self.work_tree {
            Some(folder) => Call::new(command, [folder.as_os_str()]).run(),
            None => Call::new(command, [OsStr::new("--bare"), self.git_dir.as_os_str()]).run(),
        }
    }
}

/// One call of git, being put together.
pub(crate) struct Call {
    command: Command,
    args: Vec<OsString>,
    stdin: Vec<u8>,
}

impl Call {
    fn new<S: AsRef<OsStr>>(command: Command, args: impl IntoIterator<Item = S>) -> Self {
        let args = args.into_iter().map(|arg| arg.as_ref().to_owned()).collect();
        Self { command, args, stdin: Vec::new() }
    }

    /// With an environment variable.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// With this on its standard input.
    pub(crate) fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Runs it; its exit status is the caller's to judge.
    pub(crate) fn output(mut self) -> Result<Output> {
        if self.args.first().is_some_and(|verb| CHANGING.iter().any(|name| verb == name)) {
            let failed = |error: std::io::Error| Error::Git { args: self.describe(), reason: error.to_string() };
            step::before_change().map_err(failed)?;
        }
        let told = self.describe();
        let failed = |reason: String| Error::Git { args: told.clone(), reason };
        self.command.args(&self.args).stdout(Stdio::piped()).stderr(Stdio::piped());
        self.command.stdin(if self.stdin.is_empty() { Stdio::null() } else { Stdio::piped() });
        let mut child = self.command.spawn().map_err(|error| failed(format!("{error}; is git installed?")))?;
        let writer = child.stdin.take().map(|mut pipe| {
            let bytes = std::mem::take(&mut self.stdin);
            // A child that ends without reading all of its input says why by its own exit status.
            std::thread::spawn(move || drop(pipe.write_all(&bytes)))
        });
        let output = child.wait_with_output().map_err(|error| failed(error.to_string()))?;
        if let Some(writer) = writer {
            let _ = writer.join();
        }
        Ok(output)
    }

    /// Runs it and gives what it wrote; a failure is an error.
    pub(crate) fn bytes(self) -> Result<Vec<u8>> {
        let args = self.describe();
        let output = self.output()?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let reason = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Err(Error::Git { args, reason: if reason.is_empty() { output.status.to_string() } else { reason } })
    }

    /// Like [`Call::bytes`], as text without the line end at its end.
    pub(crate) fn text(self) -> Result<String> {
        Ok(String::from_utf8_lossy(&self.bytes()?).trim_end().to_owned())
    }

    /// Like [`Call::bytes`], for its effect alone.
    pub(crate) fn run(self) -> Result<()> {
        self.bytes().map(drop)
    }

    fn describe(&self) -> String {
        self.args.iter().map(|arg| arg.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }
}

/// git without what the user's machine would add to it.
fn isolated() -> Command {
    let mut command = Command::new("git");
    for (name, _) in env::vars_os() {
        if name.to_string_lossy().starts_with("GIT_") {
            command.env_remove(&name);
        }
    }
    for name in ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"] {
        command.env(name, "/dev/null");
    }
    for name in ["GIT_CONFIG_NOSYSTEM", "GIT_ATTR_NOSYSTEM", "GIT_NO_REPLACE_OBJECTS"] {
        command.env(name, "1");
    }
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "forks").env(format!("GIT_{role}_EMAIL"), "forks@localhost");
        command.env(format!("GIT_{role}_DATE"), "946684800 +0000");
    }
    command
        .env("GIT_ATTR_SOURCE", EMPTY_TREE)
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_EDITOR", "true")
        .env("LC_ALL", "C")
        .env("TZ", "UTC");
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    command
}

/// Refuses a git that lacks what this crate calls; asks once a process.
fn check_version() -> Result<()> {
    static FOUND: OnceLock<Option<String>> = OnceLock::new();
    let found = FOUND.get_or_init(|| Call::new(isolated(), ["version"]).text().ok());
    let Some(found) = found else {
        return Err(Error::Git { args: "version".into(), reason: "git cannot be run; is it installed?".into() });
    };
    let number = found.split_whitespace().nth(2).unwrap_or(found);
    let mut parts = number.split('.').map(|part| part.parse().unwrap_or(0));
    let version: (u32, u32) = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    if version < (2, 40) { Err(Error::GitVersion { found: number.to_owned() }) } else { Ok(()) }
}
