//! What an arm is for: most are compared, some tell how far the comparison can be believed.

use serde::{Deserialize, Serialize};

use crate::arm::Arm;

/// What an arm is for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Role {
    /// It is compared with the others.
    #[default]
    Plain,
    /// The code of another arm, linked with another layout: whatever differs between the two is noise.
    Twin {
        /// The other arm.
        of: String,
    },
    /// Another arm, slowed by the harness: a campaign that does not find this would not find a patch's slowdown either.
    Control {
        /// The other arm.
        of: String,
        /// The phase that is slowed; the whole proof where there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        phase: Option<String>,
        /// How much longer it is made to take: 1.03 is 3 %.
        factor: f64,
    },
}

impl Role {
    /// Whether the arm is compared with the others.
    pub fn is_plain(&self) -> bool {
        *self == Self::Plain
    }

    /// The arm that a twin or a control is made from.
    pub fn of(&self) -> Option<&str> {
        match self {
            Self::Plain => None,
            Self::Twin { of } | Self::Control { of, .. } => Some(of),
        }
    }
}

/// What makes the roles of these arms senseless, one sentence for each.
pub(crate) fn faults(arms: &[Arm]) -> Vec<String> {
    arms.iter().filter_map(|arm| Some((arm, arm.role.of()?))).flat_map(|(arm, of)| faults_of(arms, arm, of)).collect()
}

fn faults_of(arms: &[Arm], arm: &Arm, of: &str) -> Vec<String> {
    let name = &arm.arm;
    let Some(original) = arms.iter().find(|other| other.arm == of && other.role.is_plain()) else {
        return vec![format!("{name} is made from {of}, and no arm of that name is compared")];
    };
    let mut faults = Vec::new();
    if let Role::Control { factor, .. } = arm.role
        && (!factor.is_finite() || factor <= 1.0)
    {
        faults.push(format!("{name} slows {of} by a factor of {factor}: a control needs more than 1"));
    }
    for (kind, build) in &arm.builds {
        let Some(other) = original.builds.get(kind) else {
            faults.push(format!("{name} has a {kind} binary and {of}, from which it is made, has none"));
            continue;
        };
        if (&build.components.patches, &build.components.pins) != (&other.components.patches, &other.components.pins) {
            faults.push(format!(
                "{name} and {of}, from which it is made, differ in patches or pins of the {kind} binary"
            ));
        }
        let same =
            arms.iter().take_while(|earlier| earlier.arm != *name).chain([original]).find(|earlier| {
                earlier.builds.get(kind).is_some_and(|earlier| earlier.code_sha256 == build.code_sha256)
            });
        if let (Role::Twin { .. }, Some(same)) = (&arm.role, same) {
            faults.push(format!(
                "{name} has the same {kind} code as {}: a twin needs another layout, or the floor misses what layout does",
                same.arm
            ));
        }
    }
    faults
}
