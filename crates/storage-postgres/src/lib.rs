//! Gatepost storage in PostgreSQL.
