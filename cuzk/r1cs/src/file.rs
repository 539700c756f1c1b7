//! Recording files, version 1.
//!
//! Little endian: mark, version, length of the name, then as 64-bit numbers inputs, auxiliaries, rows,
//! terms of A, B and C, coefficients; the name; coefficients, inputs, auxiliaries as 32 canonical bytes;
//! of each matrix the rows' lengths, the columns, the coefficients' places as 32-bit numbers; the
//! SHA-256 of all that. Sizes and checksum are checked before anything is allocated, so a bad file costs
//! no memory, and a good one at most twice its size.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use ff::{Field, PrimeField};
use sha2::{Digest, Sha256};

use crate::{Column, Fr, Matrix, R1cs, Recording, RecordingFileError};

const MARK: &[u8; 8] = b"CUZKR1CS";
const VERSION: u32 = 1;
const HEADER_BYTES: u64 = 8 + 4 + 4 + 7 * 8;
const CHECKSUM_BYTES: u64 = 32;
const CHUNK_BYTES: usize = 1 << 16;

/// Tells the files apart that one process writes at the same time.
static CALLS: AtomicU64 = AtomicU64::new(0);

impl Recording {
    /// Writes the file beside its place and renames it, so that no reader sees half of it.
    ///
    /// # Errors
    /// The file system's, with the file's name.
    pub fn write(&self, path: &Path) -> Result<(), RecordingFileError> {
        if fs::symlink_metadata(path).is_ok_and(|there| !there.is_file()) {
            // Renaming over it would replace a device, or the link and not what it leads to.
            let source = std::io::Error::new(std::io::ErrorKind::AlreadyExists, "it is there and no regular file");
            return Err(io_error("write", path, source));
        }
        let mut beside = path.as_os_str().to_owned();
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        beside.push(format!(".{}-{call}.tmp", std::process::id()));
        let beside = PathBuf::from(beside);
        let written = self.write_new(&beside).and_then(|()| fs::rename(&beside, path));
        written.map_err(|source| {
            // Best effort: the error that matters is the one that stopped the writing.
            let _ = fs::remove_file(&beside);
            io_error("write", path, source)
        })
    }

    /// Reads a file that [`Recording::write`] wrote.
    ///
    /// # Errors
    /// Says what is wrong with the file and where.
    pub fn read(path: &Path) -> Result<Self, RecordingFileError> {
        let fail = |source| io_error("read", path, source);
        let file = File::open(path).map_err(fail)?;
        let actual = file.metadata().map_err(fail)?.len();
        let mut reader = BufReader::with_capacity(CHUNK_BYTES, file);
        let header = Header::read(&mut reader, path, actual)?;
        check_sum(&mut reader, path, actual)?;
        reader.seek(SeekFrom::Start(HEADER_BYTES)).map_err(fail)?;
        Parser { reader, path, at: HEADER_BYTES }.recording(&header)
    }

    fn write_new(&self, path: &Path) -> io::Result<()> {
        let mut out =
            Hashing { inner: BufWriter::with_capacity(CHUNK_BYTES, File::create(path)?), hash: Sha256::new() };
        out.write_all(&Header::of(self).to_bytes())?;
        out.write_all(self.name.as_bytes())?;
        for values in [&self.r1cs.coefficients, &self.inputs, &self.aux] {
            for value in values {
                out.write_all(&value.to_repr())?;
            }
        }
        for matrix in [&self.r1cs.a, &self.r1cs.b, &self.r1cs.c] {
            write_matrix(&mut out, matrix)?;
        }
        let sum = out.hash.finalize();
        out.inner.write_all(&sum)?;
        out.inner.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
    }
}

fn write_matrix(out: &mut impl Write, matrix: &Matrix) -> io::Result<()> {
    for row in 0..matrix.rows() {
        out.write_all(&(matrix.row(row).len() as u32).to_le_bytes())?;
    }
    for column in &matrix.columns {
        out.write_all(&column.bits().to_le_bytes())?;
    }
    for place in &matrix.coefficients {
        out.write_all(&place.to_le_bytes())?;
    }
    Ok(())
}

struct Hashing<W> {
    inner: W,
    hash: Sha256,
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

struct Header {
    name: u32,
    /// inputs, auxiliaries, rows, terms of A, B, C, coefficients
    sizes: [u64; 7],
}

impl Header {
    fn of(recording: &Recording) -> Self {
        let r1cs = &recording.r1cs;
        let sizes = [
            r1cs.inputs,
            r1cs.aux,
            r1cs.constraints(),
            r1cs.a.terms(),
            r1cs.b.terms(),
            r1cs.c.terms(),
            r1cs.coefficients.len(),
        ];
        Self { name: recording.name.len() as u32, sizes: sizes.map(|size| size as u64) }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MARK.to_vec();
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&self.name.to_le_bytes());
        for size in self.sizes {
            bytes.extend_from_slice(&size.to_le_bytes());
        }
        bytes
    }

    fn read(reader: &mut impl Read, path: &Path, actual: u64) -> Result<Self, RecordingFileError> {
        let mut bytes = [0; HEADER_BYTES as usize];
        let known = actual.min(HEADER_BYTES) as usize;
        reader.read_exact(&mut bytes[..known]).map_err(|source| io_error("read", path, source))?;
        if &bytes[..8] != MARK {
            return Err(RecordingFileError::NotARecording { path: path.to_owned() });
        }
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
        let size = |i: usize| {
            let at = 16 + 8 * i;
            u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"))
        };
        let length = |expected| RecordingFileError::Length { path: path.to_owned(), expected, actual };
        if actual < HEADER_BYTES + CHECKSUM_BYTES {
            return Err(length(Some(HEADER_BYTES + CHECKSUM_BYTES)));
        }
        if word(8) != VERSION {
            return Err(RecordingFileError::Version { path: path.to_owned(), found: word(8), expected: VERSION });
        }
        let header = Self { name: word(12), sizes: std::array::from_fn(size) };
        match header.file_bytes() {
            Some(bytes) if bytes == actual => Ok(header),
            expected => Err(length(expected)),
        }
    }

    fn file_bytes(&self) -> Option<u64> {
        let [inputs, aux, rows, a, b, c, coefficients] = self.sizes;
        let scalars = inputs.checked_add(aux)?.checked_add(coefficients)?;
        let terms = a.checked_add(b)?.checked_add(c)?;
        let words = rows.checked_mul(3)?.checked_add(terms.checked_mul(2)?)?;
        (HEADER_BYTES + CHECKSUM_BYTES + u64::from(self.name))
            .checked_add(scalars.checked_mul(32)?)?
            .checked_add(words.checked_mul(4)?)
    }
}

fn check_sum(file: &mut (impl Read + Seek), path: &Path, bytes: u64) -> Result<(), RecordingFileError> {
    let fail = |source| io_error("read", path, source);
    let at = bytes - CHECKSUM_BYTES;
    file.seek(SeekFrom::Start(0)).map_err(fail)?;
    let mut hash = Sha256::new();
    let hashed = io::copy(&mut file.by_ref().take(at), &mut hash).map_err(fail)?;
    let mut expected = [0; CHECKSUM_BYTES as usize];
    file.read_exact(&mut expected).map_err(fail)?;
    if hashed != at || hash.finalize().as_slice() != expected {
        return Err(RecordingFileError::Checksum { path: path.to_owned(), at });
    }
    Ok(())
}

struct Parser<'a, R> {
    reader: R,
    path: &'a Path,
    at: u64,
}

impl<R: Read> Parser<'_, R> {
    fn recording(mut self, header: &Header) -> Result<Recording, RecordingFileError> {
        let [inputs, aux, rows, a, b, c, coefficients] = header.sizes.map(|size| size as usize);
        let name = self.bytes(header.name as usize)?;
        let name = String::from_utf8(name).or_else(|_| self.content("the name is not UTF-8"))?;
        let coefficients = self.scalars(coefficients)?;
        let input_values = self.scalars(inputs)?;
        let aux_values = self.scalars(aux)?;
        if input_values.first() != Some(&Fr::ONE) {
            return self.content("the first input is not the constant one");
        }
        let shape = (inputs, aux, coefficients.len());
        let [a, b, c] = [self.matrix(rows, a, shape)?, self.matrix(rows, b, shape)?, self.matrix(rows, c, shape)?];
        let r1cs = R1cs { inputs, aux, coefficients, a, b, c };
        Ok(Recording { name, r1cs, inputs: input_values, aux: aux_values })
    }

    fn matrix(
        &mut self,
        rows: usize,
        terms: usize,
        (inputs, aux, coefficients): (usize, usize, usize),
    ) -> Result<Matrix, RecordingFileError> {
        let mut row_ends = Vec::with_capacity(rows);
        let mut end = 0u64;
        self.words(rows, |length| {
            end += u64::from(length);
            row_ends.push(end);
            None
        })?;
        if end != terms as u64 {
            return self.content(&format!("rows of {end} terms in a matrix of {terms}"));
        }
        let mut columns = Vec::with_capacity(terms);
        self.words(terms, |bits| {
            let column = Column::from_bits(bits);
            columns.push(column);
            let known = match column.index() {
                bellpepper_core::Index::Input(i) => i < inputs,
                bellpepper_core::Index::Aux(i) => i < aux,
            };
            (!known).then(|| format!("a row names the variable {:?}, which does not exist", column.index()))
        })?;
        let mut places = Vec::with_capacity(terms);
        self.words(terms, |place| {
            places.push(place);
            (place as usize >= coefficients).then(|| format!("a row names coefficient {place} of {coefficients}"))
        })?;
        Ok(Matrix { row_ends, columns, coefficients: places })
    }

    fn scalars(&mut self, count: usize) -> Result<Vec<Fr>, RecordingFileError> {
        let mut values = Vec::with_capacity(count);
        let mut repr = [0; 32];
        for _ in 0..count {
            self.exact(&mut repr)?;
            match Fr::from_repr_vartime(repr) {
                Some(value) => values.push(value),
                None => return self.content("a number is not below the field's modulus"),
            }
        }
        Ok(values)
    }

    /// Hands `count` 32-bit numbers to `take`, which says what is wrong with one.
    fn words(&mut self, count: usize, mut take: impl FnMut(u32) -> Option<String>) -> Result<(), RecordingFileError> {
        let mut chunk = [0; CHUNK_BYTES];
        let mut left = count * 4;
        while left > 0 {
            let bytes = left.min(CHUNK_BYTES);
            self.exact(&mut chunk[..bytes])?;
            for word in chunk[..bytes].chunks_exact(4) {
                let word = u32::from_le_bytes(word.try_into().expect("4 bytes"));
                if let Some(what) = take(word) {
                    return self.content(&what);
                }
            }
            left -= bytes;
        }
        Ok(())
    }

    fn bytes(&mut self, count: usize) -> Result<Vec<u8>, RecordingFileError> {
        let mut bytes = vec![0; count];
        self.exact(&mut bytes)?;
        Ok(bytes)
    }

    fn exact(&mut self, bytes: &mut [u8]) -> Result<(), RecordingFileError> {
        self.reader.read_exact(bytes).map_err(|source| io_error("read", self.path, source))?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    fn content<T>(&self, what: &str) -> Result<T, RecordingFileError> {
        Err(RecordingFileError::Content { path: self.path.to_owned(), what: what.to_owned(), at: self.at })
    }
}

fn io_error(action: &'static str, path: &Path, source: io::Error) -> RecordingFileError {
    RecordingFileError::Io { action, path: path.to_owned(), source }
}
