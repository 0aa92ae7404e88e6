//! Claims, expectations and conditions as JUnit XML, which CI systems show as test results.
//!
//! A scenario under one workload is a test suite. A claim that is confirmed passes, one that is refuted fails, one that is
//! undecided or not tested here is skipped with the reason; so is what its author expects of each operation. The
//! conditions of a measurement are cases as well: everything planned was measured, the models answer alike before and
//! after, each model was measured, and enough rounds were undisturbed. What stops a scenario from being judged at all is an
//! error. The layout is the one that Ant's `junitreport` and Jenkins' schemas have in common.

mod cases;
mod xml;

pub(super) use xml::junit;
