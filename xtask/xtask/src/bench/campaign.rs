//! What makes a comparison a campaign, whose verdicts can be believed: twins of `none` that show how far equal code
//! differs, and controls, slowed on purpose, that must be found.

use std::collections::BTreeSet;

use bench_core::arm::NONE;
use bench_core::role::Role;

use super::arms::ArmSpec;

/// Twice a layout of its own: three binaries of one code give three pairs.
const TWINS: u64 = 2;

/// A slowdown that eight blocks find on a busy machine, and that a patch worth talking about has.
const FACTOR: f64 = 1.05;

/// Adds to `specs`, of which `none` is one, its twins, a control on wall time, and one on each phase that a patch among
/// them is judged on and the harness can slow.
pub(crate) fn with_roles(mut specs: Vec<ArmSpec>, phases: &BTreeSet<&str>) -> Vec<ArmSpec> {
    let of = || NONE.to_owned();
    let arm = |name: String, role: Role, layout: Option<u64>| ArmSpec { name, patches: Vec::new(), role, layout };
    for seed in 1..=TWINS {
        specs.push(arm(format!("{NONE}~{seed}"), Role::Twin { of: of() }, Some(seed)));
    }
    let control = |phase: Option<&str>| Role::Control { of: of(), phase: phase.map(str::to_owned), factor: FACTOR };
    specs.push(arm("control".into(), control(None), None));
    // No other phase is made of work that prove-once hands to the prover.
    if phases.contains("synthesis") {
        specs.push(arm("control-synthesis".into(), control(Some("synthesis")), None));
    }
    specs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_that_is_judged_has_a_control_of_its_own() {
        let names = |phases: &[&'static str]| {
            let specs = with_roles(Vec::new(), &phases.iter().copied().collect());
            specs.into_iter().map(|spec| spec.name).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names(&["h_ntt"]), "none~1 none~2 control");
        assert_eq!(names(&["synthesis"]), "none~1 none~2 control control-synthesis");
    }
}
