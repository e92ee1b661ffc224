//! API keys without I/O: key strings, digests, expiry, IP policy, the decision.
