//! Reasons for which deliveries end without a settlement.

/// The reason for which a delivery ended without a settlement. A cancelled delivery has the reason
/// that the caller passed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum EndReason {
    /// Its receiver fetched it. The state is `sent`; for all other reasons it is `error`.
    Fetched,
    /// It waited too long for a webhook that does not send.
    Expired,
    /// It waited when its owner moved to another tenant.
    OwnerMoved,
    /// [`MAX_LOST_CLAIMS`](super::Delivery::MAX_LOST_CLAIMS) claims of it were lost.
    LostClaims,
    /// It may have been sent after the restored backup was taken.
    Restored,
}

impl EndReason {
    /// Returns the `status_info` of the delivery.
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

    /// Returns the `status_info` of a delivery that cannot be read, and ends in `error`.
    #[must_use]
    pub fn unreadable(reason: &str) -> String {
        format!("the stored delivery cannot be read: {reason}")
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
