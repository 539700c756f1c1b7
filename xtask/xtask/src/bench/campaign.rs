//! What makes a comparison a campaign, whose verdicts can be believed: twins of an arm that show how far equal code
//! differs, and controls, slowed on purpose, that must be found.

use std::collections::BTreeSet;

use bench_core::role::Role;

use super::arms::ArmSpec;

/// Twice a layout of its own: three binaries of one code give three pairs.
const TWINS: u64 = 2;

/// Adds to `specs` twins of the arm `of`, which is among them, a control on wall time, and one on each phase that a patch
/// is judged on and the harness can slow.
pub(crate) fn with_roles(mut specs: Vec<ArmSpec>, of: &ArmSpec, factor: f64, phases: &BTreeSet<&str>) -> Vec<ArmSpec> {
    let name = || of.name.clone();
    let arm = |name: String, role: Role, layout: Option<u64>| ArmSpec { name, role, layout, ..of.clone() };
    for seed in 1..=TWINS {
        specs.push(arm(format!("{}~{seed}", of.name), Role::Twin { of: name() }, Some(seed)));
    }
    let control = |phase: Option<&str>| Role::Control { of: name(), phase: phase.map(str::to_owned), factor };
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
        let of = ArmSpec { name: "+a".into(), patches: vec!["a-x".into()], role: Role::Plain, layout: None };
        let specs = |phases: &[&'static str]| with_roles(vec![of.clone()], &of, 1.1, &phases.iter().copied().collect());
        let names = |phases| specs(phases).into_iter().map(|spec| spec.name).collect::<Vec<_>>().join(" ");
        assert_eq!(names(&["h_ntt"]), "+a +a~1 +a~2 control");
        assert_eq!(names(&["synthesis"]), "+a +a~1 +a~2 control control-synthesis");
        assert!(specs(&[]).iter().all(|spec| spec.patches == of.patches));
    }
}
