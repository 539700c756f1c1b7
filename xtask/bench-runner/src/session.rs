//! What every process of a plan shares: folders, log, time limit; and the command line of `prove-once`.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::{Context, RunnerError};
use crate::process::{self, Ended, Invocation};

pub(crate) struct Session {
    /// The plan's folder; its paths are relative to it.
    pub(crate) folder: PathBuf,
    pub(crate) params_dir: PathBuf,
    pub(crate) timeout: Duration,
    pub(crate) log: PathBuf,
    /// The kernel's accounts of the whole machine.
    pub(crate) proc: PathBuf,
}

impl Session {
    /// `--workload NAME [--recording FILE] --params-dir DIR`.
    pub(crate) fn workload_args(&self, workload: &str, recording: Option<&String>) -> Vec<OsString> {
        let mut args: Vec<OsString> = vec!["--workload".into(), workload.into()];
        if let Some(recording) = recording {
            args.extend(["--recording".into(), self.folder.join(recording).into_os_string()]);
        }
        args.extend(["--params-dir".into(), self.params_dir.clone().into_os_string()]);
        args
    }

    /// Runs a binary of the plan; `title` heads its messages in the log.
    pub(crate) fn start(&self, title: &str, binary: &str, args: Vec<OsString>) -> Result<Ended, RunnerError> {
        let binary = self.folder.join(binary);
        self.log_line(&format!("== {title}: {} {}", binary.display(), shown(&args)))?;
        let invocation = Invocation { binary, args, timeout: self.timeout, log: self.log.clone() };
        process::run(&invocation).context("run", &invocation.binary)
    }

    fn log_line(&self, line: &str) -> Result<(), RunnerError> {
        let folder = self.log.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).context("create", folder)?;
        let mut log = OpenOptions::new().append(true).create(true).open(&self.log).context("open", &self.log)?;
        writeln!(log, "{line}").context("write", &self.log)
    }
}

fn shown(args: &[OsString]) -> String {
    args.iter().map(|arg| arg.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
