//! What the rounds of a record say, and how it is shown, where the truth is known.

mod analysis;
mod around;
mod bearing;
mod beside;
mod chart;
mod disturbed;
mod evidence;
mod html;
mod known;
mod markup;
mod overview;
mod summary;
mod terminal;
mod trusted;
mod whatever;
