//! A bundle whose binaries are shell scripts.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use bench_core::arm::{self, Build, Components, sha256_hex};
use bench_core::plan::{Case, Plan, Toolchain};
use bench_core::receipt::Receipt;
use bench_core::role::Role;
use bench_core::schema;
use tempfile::TempDir;

/// What the stand-in calls the hash of its proof.
pub(crate) const PROOF: &str = "1111";

/// An arm whose binary is a script.
pub(crate) struct Arm {
    name: String,
    body: String,
    proof: String,
    fingerprint: Option<String>,
    wall: String,
    phases: String,
    role: Role,
    patches: Vec<String>,
}

impl Arm {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            body: String::new(),
            proof: PROOF.into(),
            fingerprint: None,
            wall: "1.5".into(),
            phases: String::new(),
            role: Role::Plain,
            patches: vec![],
        }
    }

    /// Shell commands before it prints its output.
    pub(crate) fn body(self, body: &str) -> Self {
        Self { body: body.into(), ..self }
    }

    pub(crate) fn proof(self, proof: &str) -> Self {
        Self { proof: proof.into(), ..self }
    }

    /// Shell text that gives the seconds of its proof.
    pub(crate) fn wall(self, wall: &str) -> Self {
        Self { wall: wall.into(), ..self }
    }

    /// Shell text that gives the phases of its proof.
    pub(crate) fn phases(self, phases: &str) -> Self {
        Self { phases: phases.into(), ..self }
    }

    pub(crate) fn patch(self, id: &str) -> Self {
        Self { patches: vec![id.into()], ..self }
    }

    pub(crate) fn role(self, role: Role) -> Self {
        Self { role, ..self }
    }

    pub(crate) fn prints_fingerprint(self, fingerprint: &str) -> Self {
        Self { fingerprint: Some(fingerprint.into()), ..self }
    }

    fn script(&self, folder: &Path, fingerprint: &str) -> String {
        let folder = folder.display();
        let fingerprint = self.fingerprint.as_deref().unwrap_or(fingerprint);
        format!(
            r#"#!/bin/sh
cd {folder}
if [ "$1" = params ]; then printf right > right.params; echo '{{"schema":1,"params":"{folder}/right.params"}}'; exit; fi
echo "{name} $*" >> calls
echo "a message of the prover" >&2
{body}
cat <<END
{{"schema":1,"fingerprint":"{fingerprint}","workload":"w","path":"cpu","batch":1,"threads":2,
"synthesis":[{{"wall_s":0.2,"phases":[]}}],"snapshot":"the snapshot",
"proofs":[{{"warmup":false,"wall_s":{wall},"phases":[{phases}],"proof_sha256":"{proof}","valid":true,"proof_hex":[]}}],"error":null}}
END
"#,
            name = self.name,
            body = self.body,
            proof = self.proof,
            wall = self.wall,
            phases = self.phases,
        )
    }

    fn write(&self, folder: &Path) -> arm::Arm {
        let components = Components { build: self.name.clone(), ..Components::default() };
        let fingerprint = components.fingerprint();
        let binary = format!("bin/{}", self.name);
        let script = self.script(folder, &fingerprint);
        let path = folder.join(&binary);
        fs::create_dir_all(folder.join("bin")).unwrap();
        fs::write(&path, &script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let binary_sha256 = sha256_hex(script.as_bytes());
        let code_sha256 = binary_sha256.clone();
        let build =
            Build { binary, patches: self.patches.clone(), fingerprint, components, binary_sha256, code_sha256 };
        let builds = BTreeMap::from([("cpu".to_owned(), build)]);
        let fingerprint = arm::Arm::fingerprint_of(&builds);
        arm::Arm { arm: self.name.clone(), role: self.role.clone(), patches: self.patches.clone(), fingerprint, builds }
    }
}

/// A bundle in a temporary folder.
pub(crate) struct Bench {
    folder: TempDir,
    pub(crate) plan: Plan,
}

impl Bench {
    pub(crate) fn new(blocks: usize, arms: &[Arm]) -> Self {
        let folder = TempDir::new().unwrap();
        let case = Case {
            workload: "w".into(),
            path: "cpu".into(),
            batch: 1,
            args: vec!["--proofs".into(), "1".into()],
            recording: None,
            snapshot_sha256: None,
        };
        let plan = Plan {
            schema: schema::SCHEMA,
            name: "test".into(),
            seed: 5,
            blocks,
            until_precise: None,
            estimate_s: None,
            timeout_s: 3,
            toolchain: Toolchain::default(),
            arms: arms.iter().map(|arm| arm.write(folder.path())).collect(),
            cases: vec![case],
            checks: vec![],
            phases: BTreeMap::new(),
        };
        let bench = Self { folder, plan };
        bench.write_plan();
        bench
    }

    pub(crate) fn timeout(mut self, seconds: u64) -> Self {
        self.plan.timeout_s = seconds;
        self.write_plan();
        self
    }

    pub(crate) fn write_plan(&self) {
        fs::write(self.folder().join("plan.json"), schema::to_text(&self.plan)).unwrap();
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.verb_command("run", args)
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    pub(crate) fn verb(&self, verb: &str, args: &[&str]) -> Output {
        self.verb_command(verb, args).output().unwrap()
    }

    fn verb_command(&self, verb: &str, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bench-runner"));
        command.arg(verb).arg(self.folder().join("plan.json")).arg("--out").arg(self.folder().join("out")).args(args);
        command
    }

    /// The one receipt below `out`.
    pub(crate) fn receipt_path(&self) -> PathBuf {
        let workload = self.folder().join("out/w");
        let device = fs::read_dir(workload).unwrap().next().unwrap().unwrap().path();
        fs::read_dir(device).unwrap().next().unwrap().unwrap().path()
    }

    pub(crate) fn receipt(&self) -> Receipt {
        Receipt::parse(&fs::read_to_string(self.receipt_path()).unwrap()).unwrap()
    }
}
