//! What a Gatepost storage backend must do, and the in-memory reference.
