//! Colours, told apart by people with any colour vision, on light and on dark ground.

use plotters::style::RGBColor;

/// Text.
pub(super) const TEXT: RGBColor = RGBColor(0x1B, 0x1F, 0x24);
/// Text that stays behind.
pub(super) const MUTED: RGBColor = RGBColor(0x5B, 0x65, 0x70);
/// Lines that help the eye.
pub(super) const GRID: RGBColor = RGBColor(0xD9, 0xDE, 0xE4);
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
const DARK_SERIES: [&str; 6] = ["#F0955A", "#6FB1F0", "#6CC48F", "#C79BE0", "#D9B84A", "#4FC3D4"];

fn hex(RGBColor(red, green, blue): RGBColor) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}

/// Style of a chart: its colours are attributes of the shapes, which dark surroundings exchange.
pub(super) fn chart_style() -> String {
    let exchange = |light: RGBColor, dark: &str| {
        let light = hex(light);
        format!(".p95-chart [fill=\"{light}\"]{{fill:{dark}}}.p95-chart [stroke=\"{light}\"]{{stroke:{dark}}}")
    };
    let mut rules: String = SERIES.iter().zip(DARK_SERIES).map(|(light, dark)| exchange(*light, dark)).collect();
    rules.push_str(&exchange(TEXT, DARK_TEXT));
    rules.push_str(&exchange(MUTED, DARK_MUTED));
    rules.push_str(&exchange(GRID, DARK_GRID));
    format!(".p95-chart{{font-family:system-ui,sans-serif}}@media (prefers-color-scheme:dark){{{rules}}}")
}

/// The colours as variables for the page's style sheet: `--s0` to `--s5` and the rest.
pub(super) fn page_style() -> String {
    let series = |colours: Vec<String>| -> String {
        colours.iter().enumerate().map(|(place, colour)| format!("--s{place}:{colour};")).collect()
    };
    let light = series(SERIES.iter().map(|colour| hex(*colour)).collect());
    let dark = series(DARK_SERIES.iter().map(|colour| (*colour).to_owned()).collect());
    format!(
        ":root{{--text:{};--muted:{};--grid:{};{light}}}@media (prefers-color-scheme:dark){{:root{{--text:{DARK_TEXT};\
         --muted:{DARK_MUTED};--grid:{DARK_GRID};{dark}}}}}",
        hex(TEXT),
        hex(MUTED),
        hex(GRID)
    )
}
