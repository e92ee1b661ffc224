//! Why deliveries end without a settlement.

/// Why a delivery ended without a settlement. A delivery that is cancelled has the reason of
/// whoever cancels it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum EndReason {
    /// Its receiver fetched it. It is `sent`; after all others it is `error`.
    Fetched,
    /// It waited too long for a webhook that does not send.
    Expired,
    /// It waited when its owner went to another tenant.
    OwnerMoved,
    /// [`MAX_LOST_CLAIMS`](super::Delivery::MAX_LOST_CLAIMS) claims of it were lost.
    LostClaims,
    /// It may have been sent after the backup that was put back.
    Restored,
}

impl EndReason {
    /// The `status_info` of the delivery.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fetched => "fetched",
            Self::Expired => "expired while it waited",
            Self::OwnerMoved => "the owner moved",
            Self::LostClaims => "the sender died 3 times",
            Self::Restored => "may have been sent before the backup was restored",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webhooks::Delivery;

    #[test]
    fn lost_claims_are_as_many_as_allowed() {
        let most = Delivery::MAX_LOST_CLAIMS;
        let info = format!("the sender died {most} times");
        assert_eq!(EndReason::LostClaims.as_str(), info);
    }
}
