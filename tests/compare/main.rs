//! Runs compared: what is judged where the truth is known, what a user sees, and what is refused.

#[expect(dead_code, reason = "made for reports; comparisons use a part of it")]
#[path = "../report/known.rs"]
mod known;
#[path = "../report/markup.rs"]
mod markup;

mod beside;
mod commands;
mod embedded;
mod facts;
mod made;
mod shown;
mod truths;
