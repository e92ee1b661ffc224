//! The claims of a program, and whether they were true.
#![allow(clippy::print_stdout, reason = "a program that talks to a person")]

/// Prints a story line by line and remembers whether every claim held.
#[derive(Debug, Default)]
pub struct Story {
    claims: usize,
    broken: Vec<String>,
}

impl Story {
    /// Begins a chapter.
    pub fn chapter(&self, title: &str) {
        println!("\n{title}");
    }

    /// Prints a line that claims nothing.
    pub fn tell(&self, line: &str) {
        println!("       {line}");
    }

    /// Prints a claim and whether it holds.
    pub fn claim(&mut self, what: &str, holds: bool) {
        self.claims += 1;
        println!("  {} {what}", if holds { "ok  " } else { "FAIL" });
        if !holds {
            self.broken.push(what.to_owned());
        }
    }

    /// Prints the last line; returns whether every claim held.
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
