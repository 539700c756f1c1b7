//! The devices that the driver shows, or why it shows none.

use std::fmt;

use cudarc::driver::{result, sys};

/// A device, by the driver's order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// From 0; `CUDA_VISIBLE_DEVICES` counts.
    pub index: usize,
    /// As the driver names it.
    pub name: String,
    /// All memory, used or not.
    pub memory_bytes: u64,
    /// Major and minor: (9, 0) is an H100 or H200, `sm_90`.
    pub compute_capability: (u32, u32),
    /// Multiprocessors.
    pub multiprocessors: u32,
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = self.compute_capability;
        let gib = self.memory_bytes as f64 / f64::from(1 << 30);
        write!(f, "{}: {}, sm_{major}{minor}, {gib:.1} GiB", self.index, self.name)
    }
}

/// Why no device can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DriverError {
    /// No library of the driver.
    #[error(
        "no CUDA driver: libcuda.so.1 cannot be loaded; install NVIDIA's driver (in a container, start \
         it with access to the GPUs), or prove on the CPU"
    )]
    Missing,
    /// The library is there, no device is.
    #[error(
        "the CUDA driver shows no device; see what `nvidia-smi` lists and whether CUDA_VISIBLE_DEVICES \
         hides it, or prove on the CPU"
    )]
    NoDevice,
    /// Anything else that the driver says.
    #[error("the CUDA driver fails to {doing}: {name} ({code}); see `nvidia-smi` and the kernel's log")]
    Call {
        /// What was asked of it.
        doing: &'static str,
        /// The driver's name of the error.
        name: String,
        /// Its number.
        code: u32,
    },
}

/// The devices, at least one.
///
/// # Errors
/// Says in what state the driver is, and what to do.
pub fn devices() -> Result<Vec<Device>, DriverError> {
    if !driver_is_there() {
        return Err(DriverError::Missing);
    }
    result::init().map_err(of_driver("start"))?;
    let count = result::device::get_count().map_err(of_driver("count devices"))?;
    if count == 0 {
        return Err(DriverError::NoDevice);
    }
    (0..count).map(device).collect()
}

/// Has to be asked first: the driver's functions panic where the library is missing.
fn driver_is_there() -> bool {
    // SAFETY: loads the driver's library, whose initialisers have no conditions, and nothing else.
    unsafe { sys::is_culib_present() }
}

fn device(ordinal: i32) -> Result<Device, DriverError> {
    use sys::CUdevice_attribute as Attribute;
    let device = result::device::get(ordinal).map_err(of_driver("open a device"))?;
    let name = result::device::get_name(device).map_err(of_driver("name a device"))?;
    // SAFETY: the driver just gave this device.
    let memory = unsafe { result::device::total_mem(device) };
    let attribute = |attribute: Attribute| {
        // SAFETY: as above.
        let value = unsafe { result::device::get_attribute(device, attribute) };
        value.map(|value| value.try_into().unwrap_or(0)).map_err(of_driver("describe a device"))
    };
    Ok(Device {
        index: ordinal as usize,
        name,
        memory_bytes: memory.map_err(of_driver("describe a device"))? as u64,
        compute_capability: (
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        ),
        multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
    })
}

fn of_driver(doing: &'static str) -> impl Fn(result::DriverError) -> DriverError {
    move |error| {
        if error.0 == sys::CUresult::CUDA_ERROR_NO_DEVICE {
            return DriverError::NoDevice;
        }
        let name = error.error_name().map(|name| name.to_string_lossy());
        DriverError::Call {
            doing,
            name: name.map_or_else(|_| "unknown error".to_owned(), |name| name.into_owned()),
            code: error.0 as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs everywhere: with a driver there are devices that make sense, without one the state is said.
    #[test]
    fn devices_or_the_reason_why_not() {
        match devices() {
            Ok(devices) => {
                assert!(!devices.is_empty());
                for (index, device) in devices.iter().enumerate() {
                    assert_eq!(device.index, index);
                    assert!(!device.name.is_empty() && device.multiprocessors > 0);
                    assert!(device.memory_bytes > 1 << 30, "{device}");
                    assert!(device.compute_capability.0 >= 3, "{device}");
                }
            }
            Err(DriverError::Missing) => assert!(!driver_is_there()),
            Err(error) => assert!(driver_is_there(), "{error}"),
        }
    }

    #[test]
    fn every_state_of_the_driver_says_what_to_do() {
        let call =
            DriverError::Call { doing: "start", name: "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH".to_owned(), code: 803 };
        for (error, says) in [
            (DriverError::Missing, "install NVIDIA's driver"),
            (DriverError::NoDevice, "CUDA_VISIBLE_DEVICES"),
            (call, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)"),
        ] {
            assert!(error.to_string().contains(says), "{error}");
        }
        let none = result::DriverError(sys::CUresult::CUDA_ERROR_NO_DEVICE);
        assert_eq!(of_driver("start")(none), DriverError::NoDevice);
    }

    #[test]
    fn a_device_names_its_architecture() {
        let device = Device {
            index: 1,
            name: "NVIDIA H200".to_owned(),
            memory_bytes: 141 << 30,
            compute_capability: (9, 0),
            multiprocessors: 132,
        };
        assert_eq!(device.to_string(), "1: NVIDIA H200, sm_90, 141.0 GiB");
    }
}
