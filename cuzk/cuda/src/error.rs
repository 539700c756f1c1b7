//! Why a proof was not made on a device, or parameters were not loaded.

use std::path::{Path, PathBuf};

use crate::{DriverError, devices};

/// What went wrong; the process can go on and try the next job unless the device itself broke.
#[derive(Debug, thiserror::Error)]
pub enum CudaError {
    /// There is nothing to prove on.
    #[error(transparent)]
    NoDevice(#[from] DriverError),
    /// The driver shows devices, the prover can use none of them.
    #[error(
        "the prover can use none of the devices ({devices}); it needs compute capability 7.0 and \
         cooperative launches, and code for the device's architecture"
    )]
    UnusableDevices {
        /// What the driver shows.
        devices: String,
    },
    /// The parameter file cannot be used.
    #[error("cannot load the parameters: {message}; make or fetch {} again", path.display())]
    Parameters {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        message: String,
    },
    /// Circuits, randomness and parameters do not fit each other.
    #[error("cannot prove this batch: {0}")]
    Batch(String),
    /// CUDA failed while proving.
    #[error("CUDA error {code} while {doing}: {message}; see `nvidia-smi` for what else uses the device")]
    Device {
        /// What was being done.
        doing: &'static str,
        /// CUDA's number.
        code: i32,
        /// CUDA's words, and where.
        message: String,
    },
    /// The host ran out of something.
    #[error("the host failed while {doing}: {message}")]
    Host {
        /// What was being done.
        doing: &'static str,
        /// The system's words.
        message: String,
    },
}

const ENOMEM: i32 = 12;
const ENODEV: i32 = 19;
const EINVAL: i32 = 22;

/// The prover's numbers: a positive one is an errno, a negative one a CUDA error.
pub(crate) fn of_prover(doing: &'static str, code: i32, message: String) -> CudaError {
    match code {
        ENODEV => no_usable_device(),
        EINVAL => CudaError::Batch(message),
        code if code < 0 => CudaError::Device { doing, code: -code, message },
        _ => CudaError::Host { doing, message },
    }
}

/// Errors of loading: what is not the device's or the host's fault is the file's.
pub(crate) fn of_loading(path: &Path, code: i32, message: String) -> CudaError {
    match code {
        ENODEV | ENOMEM => of_prover("loading the parameters", code, message),
        code if code < 0 => of_prover("loading the parameters", code, message),
        _ => CudaError::Parameters { path: path.to_owned(), message },
    }
}

fn no_usable_device() -> CudaError {
    match devices() {
        Err(error) => CudaError::NoDevice(error),
        Ok(devices) => {
            let shown: Vec<String> = devices.iter().map(ToString::to_string).collect();
            CudaError::UnusableDevices { devices: shown.join("; ") }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_the_kind_of_error_that_they_are() {
        let proving = |code| of_prover("proving", code, "why".to_owned());
        assert!(matches!(proving(-2), CudaError::Device { code: 2, .. }));
        assert!(matches!(proving(EINVAL), CudaError::Batch(_)));
        assert!(matches!(proving(ENOMEM), CudaError::Host { .. }));
        let loading = |code| of_loading(Path::new("/x.params"), code, "why".to_owned());
        assert!(matches!(loading(-2), CudaError::Device { .. }));
        assert!(matches!(loading(2), CudaError::Parameters { .. }));
        assert!(matches!(loading(ENOMEM), CudaError::Host { .. }));
        let message = loading(EINVAL).to_string();
        assert!(message.contains("why") && message.contains("/x.params"));
    }

    #[test]
    fn no_device_says_in_what_state_the_driver_is() {
        let error = of_prover("proving", ENODEV, String::new());
        match devices() {
            Err(state) => assert_eq!(error.to_string(), state.to_string()),
            Ok(_) => assert!(matches!(error, CudaError::UnusableDevices { .. })),
        }
    }
}
