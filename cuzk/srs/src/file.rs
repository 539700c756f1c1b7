//! A test parameter file that was checked, or deliberately not.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use bellperson::groth16::{Parameters, VerifyingKey};
use blstrs::Bls12;
use sha2::{Digest, Sha256};

use crate::ParametersError;
use crate::trailer::Trailer;

const BUFFER_BYTES: usize = 1 << 20;

/// Parameters in a file, in bellperson's format from byte 0.
#[derive(Clone, Debug)]
pub struct TestParameters {
    path: PathBuf,
}

impl TestParameters {
    /// Reads the file once and checks it against its trailer and the circuit.
    ///
    /// # Errors
    /// Names the file, the place and the remedy.
    pub fn check(path: &Path, circuit_hash: &[u8; 32]) -> Result<Self, ParametersError> {
        let fail = |source| io_error("read", path, source);
        let mut file = File::open(path).map_err(fail)?;
        let length = file.metadata().map_err(fail)?.len();
        let at = length.saturating_sub(Trailer::BYTES as u64);
        let trailer = read_trailer(&mut file, path, at, length)?;
        if trailer.body_bytes != at {
            let what = format!("is for {} bytes of points", trailer.body_bytes);
            return Err(ParametersError::Trailer { path: path.to_owned(), at, what });
        }
        if trailer.circuit_hash != *circuit_hash {
            return Err(ParametersError::OtherCircuit {
                path: path.to_owned(),
                expected: hex(circuit_hash),
                found: hex(&trailer.circuit_hash),
            });
        }
        file.seek(SeekFrom::Start(0)).map_err(fail)?;
        let mut hash = Sha256::new();
        io::copy(&mut BufReader::with_capacity(BUFFER_BYTES, file).take(at), &mut hash).map_err(fail)?;
        if hash.finalize().as_slice() != trailer.body_sha256 {
            return Err(ParametersError::Damaged { path: path.to_owned(), length: at });
        }
        Ok(Self { path: path.to_owned() })
    }

    /// INSECURE: takes the file as it is, so that tests see what provers make of a bad one.
    pub fn insecure_unchecked(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// Where it is; a prover that reads it itself starts at byte 0.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All points. They are not checked one by one: the checksum vouches for them.
    ///
    /// # Errors
    /// The file system's, or bellperson's on a file that was not checked.
    pub fn load(&self) -> Result<Parameters<Bls12>, ParametersError> {
        let file = self.open()?;
        Parameters::read(file, false).map_err(|source| io_error("read", &self.path, source))
    }

    /// The verifying key alone.
    ///
    /// # Errors
    /// As [`TestParameters::load`].
    pub fn verifying_key(&self) -> Result<VerifyingKey<Bls12>, ParametersError> {
        let file = self.open()?;
        VerifyingKey::read(file).map_err(|source| io_error("read", &self.path, source))
    }

    fn open(&self) -> Result<BufReader<File>, ParametersError> {
        let file = File::open(&self.path).map_err(|source| io_error("read", &self.path, source))?;
        Ok(BufReader::with_capacity(BUFFER_BYTES, file))
    }
}

fn read_trailer(file: &mut File, path: &Path, at: u64, length: u64) -> Result<Trailer, ParametersError> {
    let absent = || ParametersError::NoTrailer { path: path.to_owned(), at, length };
    if length < Trailer::BYTES as u64 {
        return Err(absent());
    }
    let mut bytes = [0; Trailer::BYTES];
    file.seek(SeekFrom::Start(at))
        .and_then(|_| file.read_exact(&mut bytes))
        .map_err(|source| io_error("read", path, source))?;
    Trailer::parse(&bytes).ok_or_else(absent)?.map_err(|what| ParametersError::Trailer {
        path: path.to_owned(),
        at,
        what,
    })
}

pub(crate) fn io_error(action: &'static str, path: &Path, source: io::Error) -> ParametersError {
    ParametersError::Io { action, path: path.to_owned(), source }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
