//! Receipts of campaigns whose truth is known: time is what the patches make of it, times drift, a slow wave of noise that
//! remembers itself, the place in the block, white noise, and what the linker's layout does to a binary.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use bench_core::arm::{Arm, Build, Components, sha256_hex};
use bench_core::order::order;
use bench_core::output::{Phase, Proof};
use bench_core::plan::{Case, Plan, Toolchain};
use bench_core::random::SplitMix64;
use bench_core::receipt::{BlockState, Host, Outcome, Process, Receipt, Run};
use bench_core::role::Role;
use bench_core::schema::SCHEMA;

/// The phases of a proof, one after the other, with their seconds.
pub(crate) const PHASES: [(&str, f64); 2] = [("synthesis", 4.0), ("h_msm", 6.0)];

/// What the patches of an arm do to a phase, as a log ratio.
pub(crate) type Truth = fn(&[&str], &str) -> f64;

/// Nothing at all.
pub(crate) fn nothing(_: &[&str], _: &str) -> f64 {
    0.0
}

/// How much each thing disturbs a run, as log ratios.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Noise {
    /// The first run's, fading over a third of the campaign.
    pub(crate) drift: f64,
    /// Standard deviation of the part that remembers 0.7 of itself from run to run.
    pub(crate) remembered: f64,
    /// Last place of a block against its first.
    pub(crate) slots: f64,
    /// Standard deviation of what is independent, for each phase.
    pub(crate) white: f64,
    /// Standard deviation of what a binary's layout does, for each phase of each arm, the same in every block.
    pub(crate) layout: f64,
}

/// A campaign to be had.
#[derive(Clone)]
pub(crate) struct Campaign {
    pub(crate) arms: Vec<(String, Vec<&'static str>, Role)>,
    pub(crate) blocks: usize,
    pub(crate) noise: Noise,
    pub(crate) truth: Truth,
    /// Patch → phase, as in a plan.
    pub(crate) acts_on: BTreeMap<String, String>,
}

impl Campaign {
    /// `none`, its two twins, a control that makes `none` 5 % slower, and these arms.
    pub(crate) fn new(arms: &[(&str, &[&'static str])], blocks: usize, noise: Noise) -> Self {
        let twin = || Role::Twin { of: "none".into() };
        let control = Role::Control { of: "none".into(), phase: None, factor: 1.05 };
        let around = [("none", Role::Plain), ("none~1", twin()), ("none~2", twin()), ("none*1.05", control)];
        let around = around.map(|(name, role)| (name.to_owned(), Vec::new(), role));
        let arms = arms.iter().map(|(name, patches)| ((*name).to_owned(), patches.to_vec(), Role::Plain));
        let arms = around.into_iter().chain(arms).collect();
        Self { arms, blocks, noise, truth: nothing, acts_on: BTreeMap::new() }
    }

    /// The receipt of one such campaign.
    pub(crate) fn run(&self, seed: u64) -> Receipt {
        let mut receipt = Receipt::new(&self.plan(seed), Host { cpu: "Synthetic".into(), ..Host::default() });
        let mut random = Normal(SplitMix64(seed ^ 0x5eed));
        let layout = |_: &_| PHASES.map(|_| self.noise.layout * random.draw());
        let layout: Vec<[f64; 2]> = self.arms.iter().map(layout).collect();
        let runs = self.blocks * self.arms.len();
        let mut remembered = self.noise.remembered * random.draw();
        for block in 0..self.blocks {
            for (slot, arm) in order(seed, 0, block, self.arms.len()).into_iter().enumerate() {
                let time = receipt.runs.len() as f64 / runs as f64;
                let place = slot as f64 / (self.arms.len() - 1) as f64;
                remembered = 0.7 * remembered + self.noise.remembered * (1.0_f64 - 0.49).sqrt() * random.draw();
                let common = self.noise.drift * (-3.0 * time).exp() + remembered + self.noise.slots * place;
                let seconds = |(phase, (name, seconds)): (usize, &(&str, f64))| {
                    let noise = common + layout[arm][phase] + self.noise.white * random.draw();
                    seconds * (noise + self.effect(arm, name)).exp()
                };
                let seconds: Vec<f64> = PHASES.iter().enumerate().map(seconds).collect();
                receipt.runs.push(self.process(arm, (block, slot), &seconds));
            }
            receipt.blocks.push(BlockState { case: 0, block, before: vec![], after: vec![], host: 0, disturbed: None });
        }
        receipt
    }

    fn effect(&self, arm: usize, phase: &str) -> f64 {
        let (_, patches, role) = &self.arms[arm];
        let slowed = match role {
            Role::Control { factor, phase: slowed, .. } if slowed.as_deref().is_none_or(|slowed| slowed == phase) => {
                factor.ln()
            }
            _ => 0.0,
        };
        (self.truth)(patches, phase) + slowed
    }

    fn plan(&self, seed: u64) -> Plan {
        let case = Case {
            workload: "synthetic".into(),
            path: "cpu".into(),
            batch: 1,
            args: vec![],
            recording: None,
            snapshot_sha256: Some(sha256_hex(b"snapshot")),
        };
        Plan {
            schema: SCHEMA,
            name: "synthetic".into(),
            seed,
            blocks: self.blocks,
            until_precise: None,
            estimate_s: None,
            timeout_s: 60,
            toolchain: Toolchain::default(),
            arms: self.arms.iter().map(|(name, patches, role)| arm(name, patches, role)).collect(),
            cases: vec![case],
            checks: vec![],
            phases: self.acts_on.clone(),
        }
    }

    fn process(&self, arm: usize, (block, slot): (usize, usize), seconds: &[f64]) -> Run {
        let wall_s = seconds.iter().sum();
        let mut end_s = 0.0;
        let phases = PHASES.iter().zip(seconds).map(|((name, _), seconds)| {
            let start_s = end_s;
            end_s += seconds;
            Phase { name: (*name).into(), circuit: 0, lane: "host".into(), start_s, end_s }
        });
        let phases = phases.collect();
        Run {
            arm: self.arms[arm].0.clone(),
            case: 0,
            workload: "synthetic".into(),
            path: "cpu".into(),
            backend: None,
            batch: 1,
            threads: None,
            block,
            slot,
            cpu_s: 19.0,
            minor_faults: 150_000,
            major_faults: 0,
            peak_rss_bytes: 1 << 30,
            process: Process::default(),
            peak_vram_bytes: None,
            bytes_moved: None,
            excluded: None,
            outcome: Outcome::Proved,
            circuit_hash: None,
            snapshot_sha256: Some(sha256_hex(b"snapshot")),
            synthesis: vec![],
            proofs: vec![Proof { warmup: false, wall_s, phases, proof_sha256: "p".into(), valid: true }],
        }
    }
}

/// A control runs its original's binary, a twin one of its own.
fn arm(name: &str, patches: &[&str], role: &Role) -> Arm {
    let patches: Vec<String> = patches.iter().map(|patch| (*patch).to_owned()).collect();
    let (binary, layout) = match role {
        Role::Control { of, .. } => (of.as_str(), ""),
        Role::Twin { .. } => (name, name),
        Role::Plain => (name, ""),
    };
    let components = Components {
        build: format!("cpu {layout}"),
        patches: patches.iter().map(|patch| (patch.clone(), sha256_hex(patch.as_bytes()))).collect(),
        ..Components::default()
    };
    let build = Build {
        binary: format!("bin/{binary}"),
        patches: patches.clone(),
        fingerprint: components.fingerprint(),
        components,
        binary_sha256: sha256_hex(binary.as_bytes()),
        code_sha256: sha256_hex(format!("code of {binary}").as_bytes()),
    };
    let builds = BTreeMap::from([("cpu".to_owned(), build)]);
    Arm { arm: name.into(), role: role.clone(), patches, fingerprint: Arm::fingerprint_of(&builds), builds }
}

/// Standard normal variables (Box and Muller, 1958).
struct Normal(SplitMix64);

impl Normal {
    fn draw(&mut self) -> f64 {
        let mut uniform = || (self.0.below(1 << 53) as f64 + 0.5) / (1_u64 << 53) as f64;
        (-2.0 * uniform().ln()).sqrt() * (TAU * uniform()).cos()
    }
}
