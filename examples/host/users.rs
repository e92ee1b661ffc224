//! The passwords that hold at this start: given, kept from an earlier one, or made now.

use std::collections::BTreeMap;

use examples::passwords::{Password, Passwords};
use examples::platform::Platform;
use examples::private;

use crate::Failure;
use crate::options::Options;

const ADMIN: &str = "admin";

/// All passwords, and those that were made now, by user, to be printed this once.
pub(crate) fn passwords(
    options: &Options,
) -> Result<(Passwords, BTreeMap<&'static str, Password>), Failure> {
    let file = options.state("passwords");
    let kept = match options.memory() {
        true => None,
        false => private::read(&file)?,
    };
    let mut passwords = Passwords::parse(&kept.unwrap_or_default());
    let before = passwords.lines();
    let mut made = BTreeMap::new();
    if let Some(given) = &options.password
        && !passwords.verify(ADMIN, given.expose())
    {
        passwords.set(ADMIN, given)?;
    }
    for (name, _) in Platform::people() {
        if !passwords.has(name) {
            let password = Password::random();
            passwords.set(name, &password)?;
            made.insert(name, password);
        }
    }
    if !options.memory() && passwords.lines() != before {
        private::write(&file, &passwords.lines())?;
    }
    Ok((passwords, made))
}
