//! WinningPoSt for a sector of 2 KiB, from the storage-proofs crates: a real circuit, 66 challenges.
//!
//! The sealed sector's replica is pseudo-random, as a real one is to everybody but its owner; its tree,
//! challenges, openings and circuit are the crates' own. The same sector stands 66 times among the public
//! inputs, once per challenge, as the network's proofs have it.

use bellperson::{Circuit, ConstraintSystem, SynthesisError};
use cuzk_r1cs::Fr;
use filecoin_hashers::poseidon::PoseidonHasher;
use filecoin_hashers::{Domain as _, HashFunction, Hasher};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use storage_proofs_core::api_version::ApiVersion;
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_core::merkle::{LCTree, generate_tree};
use storage_proofs_core::proof::ProofScheme;
use storage_proofs_core::util::NODE_SIZE;
use storage_proofs_post::fallback::{
    ComponentPrivateInputs, FallbackPoSt, FallbackPoStCircuit, FallbackPoStCompound, PrivateInputs, PrivateSector,
    PublicInputs, PublicParams, PublicSector, SetupParams,
};
use typenum::{U0, U8};

use crate::pin_settings;
use crate::workload::{WINNING_POST_2KIB, WorkloadError};

const SECTOR_BYTES: u64 = 2048;
const CHALLENGES: usize = 66;
const SEED: u64 = 0x5ec7;

/// The tree that sectors of 2 KiB have.
type Tree = LCTree<PoseidonHasher, U8, U0, U0>;
type Domain = <PoseidonHasher as Hasher>::Domain;
type Compound = FallbackPoStCompound<Tree>;

/// The circuit and its witness.
#[derive(Clone)]
pub struct WinningPost {
    circuit: FallbackPoStCircuit<Tree>,
}

impl std::fmt::Debug for WinningPost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WinningPost").finish_non_exhaustive()
    }
}

impl Circuit<Fr> for WinningPost {
    fn synthesize<CS: ConstraintSystem<Fr>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        self.circuit.synthesize(cs)
    }
}

impl WinningPost {
    /// Seals, challenges and opens a sector in a temporary folder, has the crates verify the openings, and
    /// builds circuit and public inputs from them.
    pub(crate) fn build() -> Result<(Self, Vec<Fr>), WorkloadError> {
        pin_settings()?;
        let folder = tempfile::tempdir().map_err(|error| failed(format!("no temporary folder: {error}")))?;
        let mut rng = ChaCha20Rng::seed_from_u64(SEED);
        let leaves = SECTOR_BYTES as usize / NODE_SIZE;
        let (_replica, tree) = generate_tree::<Tree, _>(&mut rng, leaves, Some(folder.path().to_owned()));
        let comm_c = Domain::random(&mut rng);
        let comm_r_last = tree.root();
        let comm_r = <PoseidonHasher as Hasher>::Function::hash2(&comm_c, &comm_r_last);
        let public_inputs = PublicInputs {
            randomness: Domain::random(&mut rng),
            prover_id: Domain::random(&mut rng),
            sectors: vec![PublicSector { id: 1.into(), comm_r }; CHALLENGES],
            k: None,
        };
        let sectors: Vec<_> = (0..CHALLENGES).map(|_| PrivateSector { tree: &tree, comm_c, comm_r_last }).collect();
        prove_and_build(&public_inputs, &PrivateInputs { sectors: &sectors })
            .map_err(|error| failed(format!("{error:#}")))?
    }
}

type Built = Result<(WinningPost, Vec<Fr>), WorkloadError>;

fn prove_and_build(
    public_inputs: &PublicInputs<Domain>,
    private_inputs: &PrivateInputs<'_, Tree>,
) -> storage_proofs_core::error::Result<Built> {
    let params = public_params()?;
    let proofs = FallbackPoSt::<Tree>::prove_all_partitions(&params, public_inputs, private_inputs, 1)?;
    if !FallbackPoSt::<Tree>::verify_all_partitions(&params, public_inputs, &proofs)? {
        return Ok(Err(failed("storage-proofs rejects the vanilla proof".to_owned())));
    }
    let Some(proof) = proofs.first() else {
        return Ok(Err(failed("storage-proofs made no vanilla proof".to_owned())));
    };
    let private = ComponentPrivateInputs {};
    let circuit = Compound::circuit(public_inputs, private, proof, &params, None)?;
    let inputs = Compound::generate_public_inputs(public_inputs, &params, None)?;
    Ok(Ok((WinningPost { circuit }, inputs)))
}

fn public_params() -> storage_proofs_core::error::Result<PublicParams> {
    FallbackPoSt::<Tree>::setup(&SetupParams {
        sector_size: SECTOR_BYTES,
        challenge_count: 1,
        sector_count: CHALLENGES,
        // Under 1.2 the public inputs take challenge index 0 for every sector: satisfied, yet rejected.
        api_version: ApiVersion::V1_1_0,
    })
}

fn failed(what: String) -> WorkloadError {
    WorkloadError::Build { name: WINNING_POST_2KIB.to_owned(), what }
}
