//! What the rounds of a record say, and how it is shown, where the truth is known.

mod analysis;
mod around;
mod bearing;
mod beside;
mod break_even;
mod browser;
mod chart;
mod charts;
mod csv;
mod disturbed;
mod evidence;
mod hdr;
mod hostile;
mod html;
mod junit;
mod known;
mod large;
mod markdown;
mod markup;
mod overview;
mod seconds;
mod summary;
mod terminal;
mod trusted;
mod verdict;
mod whatever;
