//! The API key service: create, authenticate, revoke; a tower layer.
