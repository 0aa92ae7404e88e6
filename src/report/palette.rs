//! Colours, told apart by people with any colour vision, on light and on dark ground.

use plotters::style::RGBColor;

/// Text.
pub(super) const TEXT: RGBColor = RGBColor(0x1B, 0x1F, 0x24);
/// Text that stays behind.
pub(super) const MUTED: RGBColor = RGBColor(0x5B, 0x65, 0x70);
/// Lines that help the eye.
pub(super) const GRID: RGBColor = RGBColor(0xD9, 0xDE, 0xE4);
/// Ground that is set off a little: every other round, what counts as equal.
pub(super) const BAND: RGBColor = RGBColor(0xEE, 0xF1, 0xF4);
/// Models by their place: naive, the pattern, further ones.
pub(super) const SERIES: [RGBColor; 6] = [
    RGBColor(0xB4, 0x50, 0x0B),
    RGBColor(0x15, 0x65, 0xA9),
    RGBColor(0x2B, 0x7A, 0x4B),
    RGBColor(0x8A, 0x4F, 0xA3),
    RGBColor(0x85, 0x69, 0x00),
    RGBColor(0x00, 0x78, 0x8A),
];

const DARK_TEXT: &str = "#E6E9ED";
const DARK_MUTED: &str = "#A3ADB8";
const DARK_GRID: &str = "#353C45";
const DARK_BAND: &str = "#22282F";
const DARK_SERIES: [&str; 6] = ["#F0955A", "#6FB1F0", "#6CC48F", "#C79BE0", "#D9B84A", "#4FC3D4"];

/// A colour as drawings write it.
pub(super) fn hex(RGBColor(red, green, blue): RGBColor) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}

/// A colour: its variable, as it is on light ground, and on dark.
type Named = (String, String, &'static str);

fn named() -> Vec<Named> {
    let one = |name: &str, light: RGBColor, dark: &'static str| (name.to_owned(), hex(light), dark);
    let mut all = vec![
        one("text", TEXT, DARK_TEXT),
        one("muted", MUTED, DARK_MUTED),
        one("grid", GRID, DARK_GRID),
        one("band", BAND, DARK_BAND),
    ];
    let series = SERIES.iter().zip(DARK_SERIES).enumerate();
    all.extend(series.map(|(place, (light, dark))| one(&format!("s{place}"), *light, dark)));
    all
}

/// The colours as variables of what `selector` chooses, for light and dark surroundings, and the charts in them: a
/// chart's colours are attributes of its shapes, so that programs without style sheets show it too.
fn style(selector: &str) -> String {
    let (mut light, mut dark, mut rules) = (String::new(), String::new(), String::new());
    for (name, on_light, on_dark) in named() {
        light.push_str(&format!("--{name}:{on_light};"));
        dark.push_str(&format!("--{name}:{on_dark};"));
        for attribute in ["fill", "stroke"] {
            rules.push_str(&format!(".chart [{attribute}=\"{on_light}\"]{{{attribute}:var(--{name})}}"));
        }
    }
    format!("{selector}{{{light}}}@media screen and (prefers-color-scheme:dark){{{selector}{{{dark}}}}}{rules}")
}

/// The style of a chart that stands alone.
pub(super) fn chart_style() -> String {
    style(".chart")
}

/// The style of a page and the charts in it.
pub(super) fn page_style() -> String {
    style(":root")
}
