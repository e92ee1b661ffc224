//! Gatepost storage in one SQLite file.
