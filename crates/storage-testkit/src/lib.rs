//! The Gatepost storage contract as named tests, for every backend.
