//! Blocks from several hosts of one model in one receipt. A comparison is made within blocks, so that hosts may differ in
//! speed and kernel; what may not differ is what decides how patches act.

use crate::receipt::{Gpu, Host, Receipt};
use crate::schema::SchemaError;

impl Receipt {
    /// All hosts: [`Receipt::host`], then the others.
    pub fn hosts(&self) -> impl Iterator<Item = &Host> {
        std::iter::once(&self.host).chain(&self.other_hosts)
    }

    /// The number of `host` among the receipt's, after adding it if it is a new one of the same model.
    ///
    /// # Errors
    /// What differs, where it is another model.
    pub fn join(&mut self, host: Host) -> Result<usize, &'static str> {
        if let Some(what) = difference(&self.host, &host) {
            return Err(what);
        }
        let known = self.hosts().position(|known| is_same(known, &host));
        Ok(known.unwrap_or_else(|| {
            self.other_hosts.push(host);
            self.other_hosts.len()
        }))
    }

    /// Adds the blocks of another receipt of the same plan and binaries, numbered on behind those that are there.
    ///
    /// # Errors
    /// What differs, where they are no two parts of one campaign.
    pub fn merge(&mut self, other: Self) -> Result<(), SchemaError> {
        let differs = |what: &str| {
            let reason = format!("{what} of the two differs: they are no parts of one campaign");
            Err(SchemaError::Contradictory { what: "merged receipt", reason })
        };
        match () {
            () if (&self.plan.name, &self.plan.cases) != (&other.plan.name, &other.plan.cases) => {
                return differs("the plan");
            }
            () if self.arms != other.arms => return differs("an arm's binary"),
            () if self.toolchain != other.toolchain => return differs("the toolchain"),
            () => {}
        }
        let mut hosts = Vec::new();
        for host in other.hosts().cloned() {
            match self.join(host) {
                Ok(number) => hosts.push(number),
                Err(what) => return differs(what),
            }
        }
        let behind = self.blocks.iter().map(|state| state.block + 1).max().unwrap_or_default();
        self.plan.blocks = behind + other.plan.blocks;
        self.runs.extend(other.runs.into_iter().map(|mut run| {
            run.block += behind;
            run
        }));
        self.blocks.extend(other.blocks.into_iter().map(|mut state| {
            state.block += behind;
            state.host = hosts[state.host];
            state
        }));
        Ok(())
    }
}

/// What of two hosts is not of one model.
fn difference(one: &Host, other: &Host) -> Option<&'static str> {
    let model = |gpu: &Gpu| (gpu.name.clone(), gpu.driver.clone(), gpu.memory_bytes, gpu.mig);
    let models = |host: &Host| host.gpus.iter().map(model).collect::<Vec<_>>();
    match () {
        () if (&one.cpu, one.cores) != (&other.cpu, other.cores) => Some("the CPU"),
        () if models(one) != models(other) => Some("a GPU or its driver"),
        () => None,
    }
}

/// Memory and limits may be reported differently from one minute to the next; two CPUs of one model cannot be told apart.
fn is_same(one: &Host, other: &Host) -> bool {
    let ids = |host: &Host| host.gpus.iter().map(|gpu| gpu.uuid.clone()).collect::<Vec<_>>();
    ids(one) == ids(other)
}
