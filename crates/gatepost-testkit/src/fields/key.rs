//! The fields of a key.

use apikey_core::{
    ApiKey, Digest, Expiration, Grant, IpPolicy, KeyId, LastLogin, LookupId, OwnerId, RateLimit,
    ScopeNames, TableNames,
};
use chrono::TimeDelta;
use gatepost_storage::Revision;
use gatepost_storage::keys::{KeyRow, Rolled};

use super::field::{Field, fields};
use crate::fixtures::{at, full_grant};

/// Returns every field of a row of keys.
#[must_use]
pub fn of_key(base: &KeyRow) -> Vec<Field<KeyRow>> {
    let soon = at(9_000) + TimeDelta::microseconds(1);
    let login = |seconds, from: &str| LastLogin {
        at: at(seconds),
        from: from.parse().unwrap(),
    };
    let (tables, scopes) = (full_grant().tables().clone(), full_grant().scopes().clone());
    fields! { base.clone(), row =>
        row, KeyRow {
            id: Shown [KeyId(7_001), KeyId(7_002)],
            revision: Shown [Revision(7_001), Revision(7_002)],
            key: Own [],
            rolled: Own [],
        };
        row.key, ApiKey {
            owner: Kept [OwnerId(7_001), OwnerId(7_002)],
            lookup: Kept [LookupId::of_imported(&[7; 32]), LookupId::of_imported(&[8; 32])],
            masked: Kept ["old_7…".parse().unwrap(), "old_8…".parse().unwrap()],
            digest: Edited [],
            name: Edited ["Other \"name\" 'é' %".parse().unwrap(), "other \"name\" 'é' %".parse().unwrap()],
            description: Edited ["two\nlines".parse().unwrap(), "two\nlines ".parse().unwrap()],
            expiration: Edited [Expiration::At(at(9_000)), Expiration::At(soon)],
            ip: Edited [],
            grant: Edited [
                Grant::new(true, TableNames::none(), ScopeNames::none()),
                Grant::new(false, tables, ScopeNames::none()),
                Grant::new(false, TableNames::none(), scopes),
                full_grant(),
            ],
            limit: Edited [
                Some(RateLimit::per_minute(60).unwrap()),
                Some(RateLimit::per_minute(61).unwrap()),
            ],
            enabled: Edited [false, true],
            locked: Edited [true, false],
            created: Kept [at(-5_000), at(-5_000) + TimeDelta::microseconds(1)],
            last_login: Kept [
                Some(login(20, "192.0.2.1")),
                Some(login(20, "2001:db8::1")),
                Some(login(21, "2001:db8::1")),
            ],
        };
        row.key.digest, Digest {
            scheme: Edited ["hmac-sha256:7".parse().unwrap(), "imported-sha256".parse().unwrap()],
            bytes: Edited [[7; 32], [8; 32]],
        };
        row.key.ip, IpPolicy {
            allow: Edited ["10.0.0.0/8,!192.0.2.1".parse().unwrap(), "10.0.0.0/8,192.0.2.1".parse().unwrap()],
            deny: Edited ["2001:db8::/32".parse().unwrap(), "2001:db8::/33".parse().unwrap()],
        };
        row.rolled, Rolled {
            from: Own [Some(KeyId(7_001)), Some(KeyId(7_002))],
            to: Own [Some(KeyId(7_001)), Some(KeyId(7_002))],
        };
    }
}
