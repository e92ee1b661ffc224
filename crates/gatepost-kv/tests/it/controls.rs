//! Every case of the kit fails on the store that is wrong in its respect, and no other case does.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::{env, fs, thread};

use gatepost_kv::kit::{CASES, Case, DURABLE_CASES, Fixture};

use crate::faults::{FOUND, FOUND_DURABLE, Fault, FileFault};
use crate::file::FileKv;
use crate::optimistic::Optimistic;

/// The test of this file that a case starts in a second process.
const CHILD: &str = "controls::child_of_a_control";

/// Returns the cases that fail on a store.
fn failing(fault: Fault) -> Vec<&'static str> {
    let fails = |case: &&Case| {
        let folder = tempfile::tempdir().unwrap();
        let fixture = Fixture::new(folder.path(), "", move |_| Optimistic::new(Some(fault)));
        catch_unwind(AssertUnwindSafe(|| (case.run)(&fixture))).is_err()
    };
    CASES.iter().filter(fails).map(|case| case.name).collect()
}

/// Returns the cases that fail on a store in a file. The name of the folder contains the fault and
/// the case for a second process.
fn failing_in_a_file(fault: FileFault) -> Vec<&'static str> {
    let fails = |case: &&Case| {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join(format!("{fault:?} {}", case.name));
        fs::create_dir(&folder).unwrap();
        catch_unwind(AssertUnwindSafe(|| run_in_a_file(fault, case, &folder))).is_err()
    };
    CASES
        .iter()
        .chain(DURABLE_CASES)
        .filter(fails)
        .map(|case| case.name)
        .collect()
}

fn run_in_a_file(fault: FileFault, case: &Case, folder: &Path) {
    let is_shared = fault == FileFault::OverwritesOtherHandles;
    let open = move |folder: &Path| FileKv::open(folder, Some(fault), is_shared);
    (case.run)(&Fixture::new(folder, CHILD, open));
}

#[test]
fn child_of_a_control() {
    let Some(folder) = env::var_os("GATEPOST_KV_FOLDER") else {
        return;
    };
    let folder = Path::new(&folder);
    let (fault, case) = folder
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .split_once(' ')
        .unwrap();
    let fault = FOUND_DURABLE
        .iter()
        .find(|(known, _)| format!("{known:?}") == fault)
        .unwrap()
        .0;
    let case = DURABLE_CASES
        .iter()
        .find(|known| known.name == case)
        .unwrap();
    run_in_a_file(fault, case, folder);
}

#[test]
fn wrong_store_fails_in_its_case_only() {
    let wrong: Vec<_> = thread::scope(|scope| {
        let runs = FOUND
            .iter()
            .map(|(fault, _)| scope.spawn(|| failing(*fault)));
        let runs: Vec<_> = runs.collect();
        let found = FOUND
            .iter()
            .zip(runs)
            .map(|(fault, run)| (fault, run.join().unwrap()));
        found
            .filter(|((_, case), found)| found != &[*case])
            .collect()
    });
    assert!(wrong.is_empty(), "found by other cases, or not: {wrong:#?}");
}

#[test]
fn wrong_file_fails_in_its_case_only() {
    let wrong: Vec<_> = thread::scope(|scope| {
        let runs = FOUND_DURABLE
            .iter()
            .map(|(fault, _)| scope.spawn(|| failing_in_a_file(*fault)));
        let runs: Vec<_> = runs.collect();
        let found = FOUND_DURABLE
            .iter()
            .zip(runs)
            .map(|(fault, run)| (fault, run.join().unwrap()));
        found
            .filter(|((_, case), found)| found != &[*case])
            .collect()
    });
    assert!(wrong.is_empty(), "found by other cases, or not: {wrong:#?}");
}

#[test]
fn every_case_has_its_control() {
    for case in CASES.iter().chain(DURABLE_CASES) {
        let names = FOUND
            .iter()
            .map(|found| found.1)
            .chain(FOUND_DURABLE.iter().map(|f| f.1));
        assert_eq!(
            names.filter(|name| *name == case.name).count(),
            1,
            "{}",
            case.name
        );
    }
}
