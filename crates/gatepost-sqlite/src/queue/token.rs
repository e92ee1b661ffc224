//! The proof of a claim: the count of the delivery's claims, and the delivery, so that it proves
//! nothing of another.

use gatepost_storage::webhooks::{Claim, ClaimToken, DeliveryId};

/// How many bits the row number has; it is compared as far as they go.
const NUMBER_BITS: u32 = 40;
const NUMBER: i64 = (1 << NUMBER_BITS) - 1;

/// The token of a delivery's claim of this count.
pub(super) fn token(delivery: DeliveryId, claims: i64) -> ClaimToken {
    ClaimToken(claims << NUMBER_BITS | delivery.0 & NUMBER)
}

/// The count of the claim; `None` for the token of another delivery.
pub(super) fn claims(claim: Claim) -> Option<i64> {
    let Claim { delivery, token } = claim;
    (token.0 & NUMBER == delivery.0 & NUMBER).then_some(token.0 >> NUMBER_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_tells_its_claim_of_its_delivery_alone() {
        for (id, count) in [(1, 1), (7, 2), (NUMBER, 3), (NUMBER + 2, 4)] {
            let (delivery, token) = (DeliveryId(id), token(DeliveryId(id), count));
            assert_eq!(claims(Claim { delivery, token }), Some(count));
            let other = DeliveryId(id + 1);
            assert_eq!(
                claims(Claim {
                    delivery: other,
                    token
                }),
                None
            );
        }
    }
}
