//! The moments at which a test ends the process as a kill would: before every change of a file, a ref or an index.

/// Says that something is about to be changed. In a debug build, the process dies at the change whose number, from 0, is
/// in the environment.
pub(crate) fn before_change() {
    #[cfg(debug_assertions)]
    {
        use std::sync::atomic::{AtomicUsize, Ordering};
        static CHANGES: AtomicUsize = AtomicUsize::new(0);
        let number = CHANGES.fetch_add(1, Ordering::SeqCst);
        if std::env::var("FORKS_TEST_DIE_AT_CHANGE").is_ok_and(|at| at == number.to_string()) {
            std::process::abort();
        }
    }
}
