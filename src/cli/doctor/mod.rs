//! `patternbench doctor`: which server would be used and what it is, whether this machine is fit to measure, how to get a
//! mongod, and the rights that a user needs.

mod advice;
mod examination;
mod machine;

pub(super) use examination::run;
