//! The verb `prove`: synthesis alone, warm-ups, proofs, each verified.

use std::fs;
use std::time::Instant;

use bellperson::groth16::{PreparedVerifyingKey, Proof, prepare_verifying_key, verify_proof};
use blstrs::Bls12;
use cuzk_circuits::slow::stretch;
use cuzk_cuda::MemoryPeak;
use cuzk_r1cs::Fr;
use cuzk_srs::TestParameters;

use crate::backend::{self, Backend};
use crate::cli::{Path, ProveArgs};
use crate::failure::{Failure, Kind, catch};
use crate::forked::{Sizes, with_size_hint};
use crate::insecure_randomness::InsecureRandomness;
use crate::report::{CircuitFacts, ProofRun, Report, SynthesisRun, hex, proof_bytes, sha256_hex};
use crate::subject::Subject;
use crate::usage::UsageMeter;
use crate::{phases, snapshot};

/// Never fails: what went wrong stands in the report.
pub(crate) fn prove(args: &ProveArgs) -> Report {
    let mut report = Report::new(args);
    report.error = catch(|| attempt(args, &mut report)).err();
    report
}

fn attempt(args: &ProveArgs, report: &mut Report) -> Result<(), Failure> {
    check_work(args)?;
    let mut subject = Subject::build(&args.subject)?;
    if let Some(index) = args.flip_witness {
        subject = subject.with_flipped_witness(index)?;
    }
    let facts = CircuitFacts::of(subject.recording.r1cs());
    report.describe(&subject.name, &facts);
    let parameters = parameters(args, &subject, &facts)?;
    let run = Run {
        args,
        sizes: Sizes::of(subject.recording.r1cs()),
        backend: backend::open(args, &subject, parameters.as_ref())?,
        public_inputs: subject.public_inputs,
    };
    // The recording goes before the memory is counted, unless it is what is proved.
    drop((subject.circuit, subject.recording));
    let meter = UsageMeter::start();
    let outcome = run.measure(report);
    report.spend(meter.read());
    let proof = outcome?;
    if let Some(proof) = proof {
        let text = snapshot::text(&subject.name, &facts, &proof);
        if let Some(path) = &args.snapshot {
            fs::write(path, &text).map_err(|error| cannot_write(path, &error))?;
        }
        report.snapshot = Some(text);
    }
    Ok(())
}

/// What would be noticed only after minutes of work.
fn check_work(args: &ProveArgs) -> Result<(), Failure> {
    if args.warmups + args.proofs + args.synthesis_only == 0 {
        let message = "nothing to do: ask for --proofs, --warmups or --synthesis-only";
        return Err(Failure::new(Kind::Environment, message));
    }
    let Some(path) = &args.snapshot else {
        return Ok(());
    };
    // Opened for more, it keeps what it holds.
    let opened = fs::OpenOptions::new().create(true).append(true).open(path);
    opened.map(drop).map_err(|error| cannot_write(path, &error))
}

fn cannot_write(path: &std::path::Path, error: &std::io::Error) -> Failure {
    Failure::new(Kind::Environment, format!("cannot write {}: {error}", path.display()))
}

fn parameters(args: &ProveArgs, subject: &Subject, facts: &CircuitFacts) -> Result<Option<TestParameters>, Failure> {
    let checked = match &args.params {
        _ if args.warmups + args.proofs == 0 => return Ok(None),
        Some(path) if args.unchecked_params => Ok(TestParameters::insecure_unchecked(path)),
        Some(path) => TestParameters::check(path, &facts.hash),
        None => cuzk_srs::obtain(&args.folder.params_dir, &subject.recording).map(|o| o.parameters),
    };
    checked.map(Some).map_err(Failure::of(Kind::Parameters))
}

struct Run<'a> {
    args: &'a ProveArgs,
    sizes: Sizes,
    backend: Box<dyn Backend>,
    public_inputs: Vec<Fr>,
}

impl Run<'_> {
    /// The proof that all batches hold; `None` when none was asked for.
    fn measure(&self, report: &mut Report) -> Result<Option<Vec<u8>>, Failure> {
        for _ in 0..self.args.synthesis_only {
            report.synthesis.push(self.synthesise()?);
        }
        let total = self.args.warmups + self.args.proofs;
        if total == 0 {
            return Ok(None);
        }
        let key = prepare_verifying_key(&self.backend.verifying_key()?);
        let mut first: Option<Vec<u8>> = None;
        for number in 0..total {
            let warmup = number < self.args.warmups;
            let on_device = self.args.path != Path::Cpu;
            let memory = if warmup && on_device { MemoryPeak::start().ok() } else { None };
            let proved = self.prove(warmup, &key);
            report.peak_vram_bytes = report.peak_vram_bytes.max(memory.map(MemoryPeak::stop));
            let (run, proofs) = proved?;
            let valid = run.valid;
            report.proofs.push(run);
            if !valid {
                let message = format!(
                    "proof {} of {total} does not verify against the public inputs: the witness does not satisfy the circuit, or the parameters or the prover are wrong",
                    number + 1
                );
                return Err(Failure::new(Kind::InvalidProof, message));
            }
            let expected = first.get_or_insert_with(|| proofs[0].clone());
            if proofs.iter().any(|proof| proof != expected) {
                let message =
                    format!("proof {} of {total} differs from the first, with the same witness, r and s", number + 1);
                return Err(Failure::new(Kind::ProofsDiffer, message));
            }
        }
        Ok(first)
    }

    fn synthesise(&self) -> Result<SynthesisRun, Failure> {
        let job = self.backend.synthesis(self.args.batch);
        let start = Instant::now();
        let outcome = catch(|| self.hinted(job));
        let phases = phases::take(start, Instant::now());
        let wall_s = self.wall_s(start);
        outcome?;
        Ok(SynthesisRun { wall_s, phases })
    }

    fn prove(&self, warmup: bool, key: &PreparedVerifyingKey<Bls12>) -> Result<(ProofRun, Vec<Vec<u8>>), Failure> {
        let randomness = InsecureRandomness::from_seed(self.args.randomness);
        let job = self.backend.proofs(self.args.batch, randomness);
        let start = Instant::now();
        let outcome = catch(|| self.hinted(job));
        let mut phases = phases::take(start, Instant::now());
        let wall_s = self.wall_s(start);
        let proofs: Vec<Vec<u8>> = outcome?.iter().map(proof_bytes).collect();
        let verification = Instant::now();
        let valid = proofs.len() == self.args.batch && proofs.iter().all(|proof| self.verifies(proof, key));
        phases::note("verify", verification);
        phases.extend(phases::take(start, Instant::now()));
        let run = ProofRun {
            warmup,
            wall_s,
            phases,
            proof_sha256: sha256_hex(&proofs),
            valid,
            proof_hex: proofs.iter().map(|proof| hex(proof)).collect(),
        };
        Ok((run, proofs))
    }

    /// Ends a job. A slowdown comes after its phases, so that none of them takes it for its own.
    fn wall_s(&self, start: Instant) -> f64 {
        stretch(start, self.args.slowed.unwrap_or_default().wall);
        start.elapsed().as_secs_f64()
    }

    fn hinted<T>(&self, job: impl FnOnce() -> T) -> T {
        if self.args.presize { with_size_hint(self.sizes, job) } else { job() }
    }

    /// Of the bytes, not of the points that they came from: that is what leaves.
    fn verifies(&self, proof: &[u8], key: &PreparedVerifyingKey<Bls12>) -> bool {
        Proof::<Bls12>::read(proof).is_ok_and(|proof| verify_proof(key, &proof, &self.public_inputs).unwrap_or(false))
    }
}
