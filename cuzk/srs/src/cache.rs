//! Test parameters in a folder, one file per circuit, made when first asked for.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bellperson::groth16::{Parameters, generate_random_parameters};
use blstrs::Bls12;
use cuzk_r1cs::{Recording, Replay};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use sha2::{Digest, Sha256};

use crate::file::{hex, io_error};
use crate::trailer::Trailer;
use crate::{ParametersError, SEED, TestParameters};

/// Tells the files apart that one process writes at the same time.
static CALLS: AtomicU64 = AtomicU64::new(0);

/// Parameters, and whether they were there already.
#[derive(Clone, Debug)]
pub struct Obtained {
    /// Checked.
    pub parameters: TestParameters,
    /// Made by this call.
    pub made: bool,
}

/// Where the circuit's parameters stand in that folder.
pub fn path_in(dir: &Path, circuit_hash: &[u8; 32]) -> PathBuf {
    dir.join(format!("INSECURE-TEST-{}.params", hex(circuit_hash)))
}

/// The circuit's parameters from the folder; makes them there if need be. Any number of processes may
/// ask at once: each sees a whole file or none, and all would write the same bytes.
///
/// # Errors
/// A bad file in the folder is an error, never replaced silently.
pub fn obtain(dir: &Path, recording: &Arc<Recording>) -> Result<Obtained, ParametersError> {
    let circuit_hash = recording.r1cs().circuit_hash();
    let path = path_in(dir, &circuit_hash);
    let made = !path.exists();
    if made {
        make(&path, recording, circuit_hash)?;
    }
    let parameters = TestParameters::check(&path, &circuit_hash)?;
    Ok(Obtained { parameters, made })
}

fn make(path: &Path, recording: &Arc<Recording>, circuit_hash: [u8; 32]) -> Result<(), ParametersError> {
    let fail = |source| io_error("write", path, source);
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir).map_err(fail)?;
    }
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    let beside = path.with_extension(format!("{}-{call}.tmp", std::process::id()));
    // Before the parameters are made, which takes minutes: a folder that cannot be written to is told at once.
    let file = File::create(&beside).map_err(fail)?;
    let mut rng = ChaCha20Rng::seed_from_u64(SEED);
    generate_random_parameters(Replay::new(recording.clone()), &mut rng)
        .map_err(|source| ParametersError::Generate { circuit: recording.name().to_owned(), source })
        .and_then(|parameters| write(file, &parameters, circuit_hash).map_err(fail))
        .and_then(|()| fs::rename(&beside, path).map_err(fail))
        .inspect_err(|_| {
            // Best effort: the error that matters is the one that stopped the writing.
            let _ = fs::remove_file(&beside);
        })
}

fn write(file: File, parameters: &Parameters<Bls12>, circuit_hash: [u8; 32]) -> io::Result<()> {
    let mut body = Body { file: BufWriter::with_capacity(1 << 20, file), hash: Sha256::new(), bytes: 0 };
    parameters.write(&mut body)?;
    let trailer = Trailer { circuit_hash, body_bytes: body.bytes, body_sha256: body.hash.finalize().into() };
    body.file.write_all(&trailer.to_bytes())?;
    body.file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

struct Body {
    file: BufWriter<File>,
    hash: Sha256,
    bytes: u64,
}

impl Write for Body {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
