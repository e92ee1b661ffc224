//! An edit never changes the key string, the owner or the lookup id (SPEC 2.1 rule 3).

fn main() {
    let _ = apikey_core::KeyEdit {
        digest: None,
        ..Default::default()
    };
    let _ = apikey_core::KeyEdit {
        owner: None,
        ..Default::default()
    };
    let _ = apikey_core::KeyEdit {
        lookup: None,
        ..Default::default()
    };
}
