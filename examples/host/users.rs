//! The passwords of this start: given, kept from an earlier one, or made.

use std::collections::BTreeMap;

use examples::passwords::{Password, Passwords};
use examples::platform::Platform;
use examples::private;

use crate::failure::{Failure, InWords};
use crate::options::Options;

const ADMIN: &str = "admin";

/// Returns all passwords, and by user those that were made at this start, which are printed only
/// once.
pub(crate) fn passwords(
    options: &Options,
) -> Result<(Passwords, BTreeMap<&'static str, Password>), Failure> {
    let file = options.state("passwords");
    let kept = match options.memory() {
        true => None,
        false => private::read(&file).in_words(|| "cannot read the passwords".into())?,
    };
    let mut passwords = Passwords::parse(&kept.unwrap_or_default());
    let before = passwords.lines();
    let mut made = BTreeMap::new();
    if let Some(given) = &options.password
        && !passwords.verify(ADMIN, given.expose())
    {
        passwords.set(ADMIN, given).in_words(hash)?;
    }
    for (name, _) in Platform::people() {
        if !passwords.has(name) {
            let password = Password::random();
            passwords.set(name, &password).in_words(hash)?;
            made.insert(name, password);
        }
    }
    if !options.memory() && passwords.lines() != before {
        let kept = private::write(&file, &passwords.lines());
        kept.in_words(|| "cannot keep the passwords".into())?;
    }
    Ok((passwords, made))
}

fn hash() -> String {
    "cannot hash a password".into()
}
