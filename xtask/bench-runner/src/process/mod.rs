//! One process: started, limited in time, reaped with the kernel's account of it. Knows nothing of plans.

mod sys;

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

pub(crate) use sys::Usage;

/// What to run.
pub(crate) struct Invocation {
    pub(crate) binary: PathBuf,
    pub(crate) args: Vec<OsString>,
    pub(crate) timeout: Duration,
    /// The process's stderr is appended here.
    pub(crate) log: PathBuf,
}

/// A process that has ended.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) timed_out: bool,
    pub(crate) wall: Duration,
    pub(crate) usage: Usage,
    pub(crate) stdout: String,
}

/// Variables of the user that would change what is measured.
const SHUT_OUT: [&str; 8] =
    ["RAYON_", "MALLOC_", "GLIBC_TUNABLES", "LD_PRELOAD", "RUST_LOG", "RUST_BACKTRACE", "BELLMAN_", "FIL_PROOFS_"];

/// Runs a process to its end, or kills it and its children at the time limit.
pub(crate) fn run(invocation: &Invocation) -> io::Result<Ended> {
    let mut stdout = tempfile::tempfile()?;
    let mut command = command(invocation, &stdout)?;
    let started = Instant::now();
    let child = command.spawn()?;
    let pid = child.id() as i32;
    let watchdog = Watchdog::start(pid, invocation.timeout);
    // Leaves the process unreaped, so that its id cannot be another's before the watchdog has stopped.
    let exited = waitid(WaitId::Pid(pid_of(pid)), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
    let wall = started.elapsed();
    let timed_out = watchdog.stop();
    exited?;
    let (status, usage) = sys::wait4(pid)?;
    let mut text = Vec::new();
    stdout.rewind()?;
    stdout.read_to_end(&mut text)?;
    let stdout = String::from_utf8_lossy(&text).into_owned();
    Ok(Ended { status: ExitStatus::from_raw(status), timed_out, wall, usage, stdout })
}

fn command(invocation: &Invocation, stdout: &File) -> io::Result<Command> {
    if let Some(folder) = invocation.log.parent() {
        fs::create_dir_all(folder)?;
    }
    let log = OpenOptions::new().append(true).create(true).open(&invocation.log)?;
    let mut command = Command::new(&invocation.binary);
    command.args(&invocation.args).stdin(Stdio::null()).stdout(stdout.try_clone()?).stderr(log).process_group(0);
    for (name, _) in std::env::vars_os() {
        if SHUT_OUT.iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            command.env_remove(name);
        }
    }
    sys::die_with_parent(&mut command);
    Ok(command)
}

fn pid_of(pid: i32) -> Pid {
    Pid::from_raw(pid).expect("a child's id is not zero")
}

/// Kills a process group at a time limit.
struct Watchdog {
    state: Arc<(Mutex<Watched>, Condvar)>,
    thread: thread::JoinHandle<()>,
}

#[derive(Clone, Copy, PartialEq)]
enum Watched {
    Running,
    Ended,
    Killed,
}

impl Watchdog {
    fn start(pid: i32, timeout: Duration) -> Self {
        let state = Arc::new((Mutex::new(Watched::Running), Condvar::new()));
        let shared = Arc::clone(&state);
        let thread = thread::spawn(move || {
            let (watched, changed) = &*shared;
            let guard = watched.lock().expect("nothing panics under this lock");
            let wait = changed.wait_timeout_while(guard, timeout, |watched| *watched == Watched::Running);
            let (mut guard, _) = wait.expect("nothing panics under this lock");
            if *guard == Watched::Running {
                *guard = Watched::Killed;
                // A group that has just ended by itself is no error.
                let _ = kill_process_group(pid_of(pid), Signal::KILL);
            }
        });
        Self { state, thread }
    }

    /// Stops it; true when it killed.
    fn stop(self) -> bool {
        let (watched, changed) = &*self.state;
        let killed = {
            let mut guard = watched.lock().expect("nothing panics under this lock");
            let killed = *guard == Watched::Killed;
            if !killed {
                *guard = Watched::Ended;
            }
            killed
        };
        changed.notify_all();
        self.thread.join().expect("the watchdog does not panic");
        killed
    }
}
