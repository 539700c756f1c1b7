//! What the driver's management library says of the devices, and the peak of their memory by sampling. Loaded at run
//! time: without a driver there are no devices, and nothing fails.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use bench_core::receipt::{Gpu, GpuState};
use nvml_wrapper::enum_wrappers::device::{Clock, TemperatureSensor};
use nvml_wrapper::enums::device::SampleValue;
use nvml_wrapper::structs::device::FieldId;
use nvml_wrapper::sys_exports::field_id::{NVML_FI_DEV_PCIE_COUNT_RX_BYTES, NVML_FI_DEV_PCIE_COUNT_TX_BYTES};
use nvml_wrapper::{Device, Nvml};

/// How [`Gpus::watch_during`] measures memory, for the receipt.
pub(crate) const METHOD: &str =
    "NVML: memory in use on all devices over that before the process, sampled every 100 ms; a lower bound";

/// How [`Gpus::watch_during`] counts bytes over the bus, for the receipt.
pub(crate) const BUS_METHOD: &str =
    "NVML: the PCIe counters of all devices, sent and received, over the whole process with its untimed proofs";

/// What the devices did during a process.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    /// The peak of their memory, in bytes over what was in use before.
    pub(crate) peak_vram_bytes: Option<u64>,
    /// Bytes over the bus, both ways.
    pub(crate) bus_bytes: Option<u64>,
    /// All reasons for reduced clocks that were seen, the driver's bit mask.
    pub(crate) throttle_reasons: u64,
}

/// The devices of this host, if any.
pub(crate) struct Gpus(Option<Nvml>);

impl Gpus {
    pub(crate) fn find() -> Self {
        // The second name is the one that every driver installs.
        let open = Nvml::init().or_else(|_| Nvml::builder().lib_path("libnvidia-ml.so.1".as_ref()).init());
        Self(open.ok())
    }

    pub(crate) fn describe(&self) -> Vec<Gpu> {
        let Some(nvml) = &self.0 else {
            return Vec::new();
        };
        let driver = nvml.sys_driver_version().unwrap_or_default();
        let cuda = nvml.sys_cuda_driver_version().ok().map(|n| format!("{}.{}", n / 1000, n % 1000 / 10));
        self.devices().iter().map(|device| describe(device, driver.clone(), cuda.clone())).collect()
    }

    pub(crate) fn state(&self) -> Vec<GpuState> {
        self.devices().iter().map(state).collect()
    }

    /// Runs `work` and watches the devices meanwhile.
    pub(crate) fn watch_during<T>(&self, work: impl FnOnce() -> T) -> (T, Seen) {
        let Some(before) = self.memory_in_use() else {
            return (work(), Seen::default());
        };
        let bus = self.bus_counters();
        let ended = AtomicBool::new(false);
        let sample = || {
            let (mut peak, mut throttle_reasons) = (before, 0);
            while !ended.load(Ordering::Relaxed) {
                peak = peak.max(self.memory_in_use().unwrap_or_default());
                throttle_reasons |= self.throttle_reasons();
                thread::park_timeout(Duration::from_millis(100));
            }
            Seen { peak_vram_bytes: Some(peak - before), bus_bytes: None, throttle_reasons }
        };
        thread::scope(|scope| {
            let sampler = scope.spawn(sample);
            let result = work();
            ended.store(true, Ordering::Relaxed);
            sampler.thread().unpark();
            let seen = sampler.join().expect("the sampler does not panic");
            let bus_bytes = bus.zip(self.bus_counters()).map(|(before, after)| between(&before, &after));
            (result, Seen { bus_bytes, ..seen })
        })
    }

    /// Whether a process computes on a device; asked while none of ours does.
    pub(crate) fn has_processes(&self) -> bool {
        self.devices().iter().any(|device| device.running_compute_processes_count().is_ok_and(|count| count > 0))
    }

    /// The devices' counters of bytes sent and received; absent where one does not count.
    pub(crate) fn bus_counters(&self) -> Option<Vec<SampleValue>> {
        let ids = [FieldId(NVML_FI_DEV_PCIE_COUNT_TX_BYTES), FieldId(NVML_FI_DEV_PCIE_COUNT_RX_BYTES)];
        let devices = self.devices();
        let of = |device: &Device<'_>| device.field_values_for(&ids).ok().unwrap_or_default();
        let samples = devices.iter().flat_map(of).map(|sample| sample.ok()?.value.ok());
        let counters: Vec<SampleValue> = samples.collect::<Option<_>>()?;
        (!counters.is_empty()).then_some(counters)
    }

    fn throttle_reasons(&self) -> u64 {
        let reasons = |device: &Device<'_>| device.current_throttle_reasons().ok();
        self.devices().iter().filter_map(reasons).fold(0, |all, reasons| all | reasons.bits())
    }

    fn devices(&self) -> Vec<Device<'_>> {
        let Some(nvml) = &self.0 else {
            return Vec::new();
        };
        (0..nvml.device_count().unwrap_or_default()).filter_map(|index| nvml.device_by_index(index).ok()).collect()
    }

    fn memory_in_use(&self) -> Option<u64> {
        let used = self
            .devices()
            .iter()
            .filter_map(|device| device.memory_info().ok())
            .map(|memory| memory.used)
            .reduce(|a, b| a + b);
        used.filter(|&bytes| bytes < u64::MAX / 2)
    }
}

/// What was added to counters, which may have wrapped.
fn between(before: &[SampleValue], after: &[SampleValue]) -> u64 {
    let added = |(before, after): (&SampleValue, &SampleValue)| match (before, after) {
        (SampleValue::U32(before), SampleValue::U32(after)) => u64::from(after.wrapping_sub(*before)),
        (SampleValue::U64(before), SampleValue::U64(after)) => after.wrapping_sub(*before),
        _ => 0,
    };
    before.iter().zip(after).map(added).sum()
}

fn describe(device: &Device<'_>, driver: String, cuda: Option<String>) -> Gpu {
    Gpu {
        name: device.name().unwrap_or_default(),
        uuid: device.uuid().unwrap_or_default(),
        driver,
        cuda,
        memory_bytes: device.memory_info().map(|memory| memory.total).unwrap_or_default(),
        max_sm_clock_mhz: device.max_clock_info(Clock::SM).ok(),
        max_memory_clock_mhz: device.max_clock_info(Clock::Memory).ok(),
        ecc: device.is_ecc_enabled().ok().map(|ecc| ecc.currently_enabled),
        mig: device.mig_mode().ok().map(|mode| mode.current != 0),
        persistence: device.is_in_persistent_mode().ok(),
    }
}

fn state(device: &Device<'_>) -> GpuState {
    GpuState {
        sm_clock_mhz: device.clock_info(Clock::SM).ok(),
        memory_clock_mhz: device.clock_info(Clock::Memory).ok(),
        temperature_c: device.temperature(TemperatureSensor::Gpu).ok(),
        power_w: device.power_usage().ok().map(|milliwatts| f64::from(milliwatts) / 1e3),
        throttle_reasons: device.current_throttle_reasons().ok().map(|reasons| reasons.bits()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_may_wrap() {
        let before = [SampleValue::U32(u32::MAX), SampleValue::U64(7)];
        assert_eq!(between(&before, &[SampleValue::U32(4), SampleValue::U64(10)]), 8);
    }
}
