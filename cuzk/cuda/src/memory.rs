//! The most device memory in use while something runs, sampled.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use cudarc::driver::CudaContext;

use crate::{DriverError, devices};

/// Often enough to see a stage of a proof, seldom enough to disturb it little.
const PERIOD: Duration = Duration::from_millis(2);

/// Watches from its start to its [`MemoryPeak::stop`], all devices together. Other processes on
/// them count too, and what lasts less than two milliseconds may be missed. The driver's lock is taken for each sample, so do
/// not watch what you time.
pub struct MemoryPeak {
    done: Arc<AtomicBool>,
    peak_bytes: Arc<AtomicU64>,
    sampler: Option<JoinHandle<()>>,
}

impl MemoryPeak {
    /// Starts watching.
    ///
    /// # Errors
    /// No driver, no device, or no thread.
    pub fn start() -> Result<Self, DriverError> {
        let contexts =
            devices()?.iter().map(|device| CudaContext::new(device.index)).collect::<Result<Vec<_>, _>>().map_err(
                |error| DriverError::Call { doing: "open a context", name: error.to_string(), code: error.0 as u32 },
            )?;
        let done = Arc::new(AtomicBool::new(false));
        let peak_bytes = Arc::new(AtomicU64::new(used_bytes(&contexts)));
        let (stop, peak) = (Arc::clone(&done), Arc::clone(&peak_bytes));
        let sampler = thread::Builder::new().name("device-memory".to_owned());
        let sampler = sampler
            .spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    peak.fetch_max(used_bytes(&contexts), Ordering::Relaxed);
                    thread::sleep(PERIOD);
                }
            })
            .map_err(|error| DriverError::Call {
                doing: "start a thread beside it",
                name: error.to_string(),
                code: 0,
            })?;
        Ok(Self { done, peak_bytes, sampler: Some(sampler) })
    }

    /// Bytes in use at the highest sample.
    pub fn stop(mut self) -> u64 {
        self.join();
        self.peak_bytes.load(Ordering::Relaxed)
    }

    fn join(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        if let Some(sampler) = self.sampler.take() {
            // It does not panic; if it did, the samples until then stand.
            let _ = sampler.join();
        }
    }
}

impl Drop for MemoryPeak {
    fn drop(&mut self) {
        self.join();
    }
}

/// A device that does not answer counts as empty.
fn used_bytes(contexts: &[Arc<CudaContext>]) -> u64 {
    let used = |context: &Arc<CudaContext>| {
        let (free, total) = context.mem_get_info().ok()?;
        Some(total.saturating_sub(free) as u64)
    };
    contexts.iter().filter_map(used).sum()
}
