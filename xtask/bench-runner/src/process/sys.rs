//! The two system calls that std does not offer: `wait4`, and a child that dies with its parent. Knows nothing of plans.

#![allow(unsafe_code)]

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

/// What the kernel accounts to a process when it is reaped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Usage {
    pub(crate) cpu: Duration,
    pub(crate) minor_faults: u64,
    pub(crate) major_faults: u64,
    pub(crate) peak_rss_bytes: u64,
}

/// Waits for the child `pid` and reaps it. Gives its raw wait status and its usage.
pub(crate) fn wait4(pid: i32) -> io::Result<(i32, Usage)> {
    let mut status = 0;
    // SAFETY: all-zero bytes are a value of `rusage`, which holds integers only.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are to live, writable values of the types that the call fills.
        let reaped = unsafe { libc::wait4(pid, &mut status, 0, &mut usage) };
        if reaped == pid {
            break;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    let seconds = |time: libc::timeval| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000);
    let usage = Usage {
        cpu: seconds(usage.ru_utime) + seconds(usage.ru_stime),
        minor_faults: usage.ru_minflt as u64,
        major_faults: usage.ru_majflt as u64,
        // The kernel counts in KiB. Across exec it keeps the parent's peak, some MiB here.
        peak_rss_bytes: usage.ru_maxrss as u64 * 1024,
    };
    Ok((status, usage))
}

/// Has the kernel kill the child when the thread that starts it ends, so that a killed benchmark leaves no prover behind
/// to disturb the next one.
pub(crate) fn die_with_parent(command: &mut Command) {
    let die = || {
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
        Ok(())
    };
    // SAFETY: between fork and exec the closure makes one system call and neither allocates nor takes a lock.
    unsafe { command.pre_exec(die) };
}
