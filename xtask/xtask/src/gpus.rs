//! The GPUs that the driver shows, through cudarc, which loads the driver at run time.
//!
//! The one place of the workspace's tools with `unsafe`: asking a library that may not be there.

use cudarc::driver::{result, sys};

/// One CUDA device.
#[derive(Clone, Debug, serde::Serialize)]
pub(crate) struct Gpu {
    pub(crate) name: String,
    /// Compute capability, as 90 for 9.0.
    pub(crate) compute_capability: u32,
    pub(crate) memory_bytes: u64,
}

/// All devices, or why there is none.
#[allow(unsafe_code)]
pub(crate) fn list() -> Result<Vec<Gpu>, String> {
    // SAFETY: tries to open the driver's library and closes it again; no symbol of it is called.
    if !unsafe { sys::is_culib_present() } {
        return Err("no CUDA driver (libcuda.so) on this machine".to_owned());
    }
    let said = |e: cudarc::driver::DriverError| format!("the CUDA driver answers: {e}");
    result::init().map_err(said)?;
    let count = result::device::get_count().map_err(said)?;
    (0..count).map(|ordinal| device(ordinal).map_err(said)).collect()
}

#[allow(unsafe_code)]
fn device(ordinal: i32) -> Result<Gpu, cudarc::driver::DriverError> {
    use sys::CUdevice_attribute::{
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR as MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR as MINOR,
    };
    let device = result::device::get(ordinal)?;
    // SAFETY: `device` is a handle that the driver has just given out.
    let (major, minor, memory_bytes) = unsafe {
        (
            result::device::get_attribute(device, MAJOR)?,
            result::device::get_attribute(device, MINOR)?,
            result::device::total_mem(device)? as u64,
        )
    };
    let compute_capability = u32::try_from(major * 10 + minor).unwrap_or_default();
    Ok(Gpu { name: result::device::get_name(device)?, compute_capability, memory_bytes })
}
