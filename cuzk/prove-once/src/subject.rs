//! What is proved: a workload's circuit or a recording, and what is known of it before proving.

use std::sync::Arc;

use cuzk_circuits::{Workload, WorkloadCircuit};
use cuzk_r1cs::{Fr, Recording};

use crate::cli;
use crate::failure::{Failure, Kind};

/// A circuit, its recording and the public inputs that a verifier is given.
pub(crate) struct Subject {
    pub(crate) name: String,
    pub(crate) circuit: WorkloadCircuit,
    pub(crate) recording: Arc<Recording>,
    pub(crate) public_inputs: Vec<Fr>,
}

impl Subject {
    pub(crate) fn build(asked: &cli::Subject) -> Result<Self, Failure> {
        match &asked.recording {
            Some(_) => Self::from_recording(asked),
            None => Self::from_workload(asked.workload.as_deref().unwrap_or_default()),
        }
    }

    pub(crate) fn from_workload(name: &str) -> Result<Self, Failure> {
        let workload: Workload = name.parse().map_err(Failure::of(Kind::Workload))?;
        let name = workload.to_string();
        let (circuit, public_inputs) = workload.build().map_err(Failure::of(Kind::Workload))?;
        let recording = circuit.record(&name).map_err(Failure::of(Kind::Recording))?;
        Ok(Self { name, circuit, recording: Arc::new(recording), public_inputs })
    }

    fn from_recording(asked: &cli::Subject) -> Result<Self, Failure> {
        let path = asked.recording.as_deref().unwrap_or(std::path::Path::new(""));
        let recording = Recording::read(path).map_err(Failure::of(Kind::Recording))?;
        let name = recording.name().to_owned();
        if let Some(workload) = asked.workload.as_ref().filter(|workload| **workload != name) {
            let message =
                format!("{} records {name}, not {workload}: name the recorded workload, or none", path.display());
            return Err(Failure::new(Kind::Recording, message));
        }
        Ok(Self::replaying(name, recording))
    }

    /// The recording's public inputs are the circuit's own, so the proof says less than a workload's.
    fn replaying(name: String, recording: Recording) -> Self {
        let recording = Arc::new(recording);
        Self {
            name,
            circuit: WorkloadCircuit::replay(recording.clone()),
            public_inputs: recording.public_inputs().to_vec(),
            recording,
        }
    }

    /// The same circuit, with one auxiliary value changed.
    pub(crate) fn with_flipped_witness(self, index: usize) -> Result<Self, Failure> {
        let recording = Arc::unwrap_or_clone(self.recording);
        let aux = recording.r1cs().aux();
        let flipped = recording.with_flipped_witness(index).ok_or_else(|| {
            let message = format!("there is no auxiliary value {index} to flip: {} has {aux}", self.name);
            Failure::new(Kind::Workload, message)
        })?;
        Ok(Self { public_inputs: self.public_inputs, ..Self::replaying(self.name, flipped) })
    }
}
