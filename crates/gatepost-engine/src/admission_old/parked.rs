//! Lanes that wait for one thing. For most things there is but one lane that waits: twenty thousand
//! stalled webhooks are as many rooms with a lane each.

use gatepost_ids::Place;
use gatepost_storage::webhooks::Lane;
use webhook_model::OwnerId;

use super::turns::Turns;

#[derive(Debug, Default)]
pub(super) enum Parked {
    #[default]
    None,
    One(Place, OwnerId, Lane),
    Many(Turns),
}

impl Parked {
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::None => true,
            Self::One(..) => false,
            Self::Many(turns) => turns.is_empty(),
        }
    }

    pub(super) fn insert(&mut self, place: Place, owner: OwnerId, lane: Lane) {
        match self {
            Self::None => *self = Self::One(place, owner, lane),
            Self::One(.., one) if *one == lane => *self = Self::One(place, owner, lane),
            Self::One(its_place, its_owner, one) => {
                let mut turns = Turns::default();
                turns.insert(*its_place, *its_owner, *one);
                turns.insert(place, owner, lane);
                *self = Self::Many(turns);
            }
            Self::Many(turns) => turns.insert(place, owner, lane),
        }
    }

    pub(super) fn remove(&mut self, place: Place, owner: OwnerId, lane: Lane) {
        match self {
            Self::One(.., one) if *one == lane => *self = Self::None,
            Self::None | Self::One(..) => {}
            Self::Many(turns) => turns.remove(place, owner, lane),
        }
    }

    /// Takes the lane whose turn it is.
    pub(super) fn next(&mut self) -> Option<Lane> {
        match self {
            Self::None => None,
            Self::One(.., lane) => {
                let lane = *lane;
                *self = Self::None;
                Some(lane)
            }
            Self::Many(turns) => turns.next(),
        }
    }
}
