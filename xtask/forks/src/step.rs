//! The moments at which a test ends the process as a kill would, or has the disk be full: before every change of a file, a
//! ref or an index.

use std::io;

/// Says that something is about to be changed. In a debug build, the process dies, or the change fails, if its number,
/// from 0, is in the environment.
pub(crate) fn before_change() -> io::Result<()> {
    #[cfg(debug_assertions)]
    {
        use std::sync::atomic::{AtomicUsize, Ordering};
        static CHANGES: AtomicUsize = AtomicUsize::new(0);
        let number = CHANGES.fetch_add(1, Ordering::SeqCst).to_string();
        let is_at = |name: &str| std::env::var(name).is_ok_and(|at| at == number);
        if is_at("FORKS_TEST_DIE_AT_CHANGE") {
            std::process::abort();
        }
        if is_at("FORKS_TEST_FAIL_AT_CHANGE") {
            return Err(io::ErrorKind::StorageFull.into());
        }
    }
    Ok(())
}
