//! What a program claims, and whether it was true.
#![allow(clippy::print_stdout, reason = "a program that talks to a person")]

/// Prints a story line by line and remembers whether every claim held.
#[derive(Debug, Default)]
pub struct Story {
    claims: usize,
    broken: Vec<String>,
}

impl Story {
    /// A new chapter.
    pub fn chapter(&self, title: &str) {
        println!("\n{title}");
    }

    /// Something worth seeing that proves nothing.
    pub fn tell(&self, line: &str) {
        println!("       {line}");
    }

    /// Something that must be so.
    pub fn claim(&mut self, what: &str, holds: bool) {
        self.claims += 1;
        println!("  {} {what}", if holds { "ok  " } else { "FAIL" });
        if !holds {
            self.broken.push(what.to_owned());
        }
    }

    /// The last line; whether everything held.
    #[must_use]
    pub fn end(&self) -> bool {
        match self.broken.as_slice() {
            [] => println!("\nAll {} claims held.", self.claims),
            broken => println!(
                "\n{} of {} claims did not hold: {}",
                broken.len(),
                self.claims,
                broken.join("; ")
            ),
        }
        self.broken.is_empty()
    }
}
