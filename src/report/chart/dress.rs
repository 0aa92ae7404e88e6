//! A chart with what makes it readable: title, description, colours for light and dark surroundings.

use super::super::palette;
use super::super::text::clean;

/// A chart of a scenario.
#[derive(Debug, Clone)]
pub struct Chart {
    name: String,
    title: String,
    description: String,
    reading: String,
    drawing: String,
}

impl Chart {
    /// A chart from a drawing: its name for files, what it shows, what it shows in words, and how it is read.
    pub(super) fn new(
        name: impl Into<String>,
        title: impl Into<String>,
        description: impl Into<String>,
        reading: impl Into<String>,
        drawing: &str,
    ) -> Self {
        Self {
            name: name.into(),
            title: clean(&title.into()),
            description: clean(&description.into()),
            reading: reading.into(),
            drawing: slim(drawing),
        }
    }

    /// What it shows in a word, for the name of a file: letters, digits and hyphens.
    pub fn name(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        self.name.chars().map(plain).collect()
    }

    /// The same under a name with a number.
    pub(super) fn renamed(mut self, number: usize) -> Self {
        self.name.push_str(&format!("-{number}"));
        self
    }

    /// What it shows.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// What it shows, in words.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// How it is read.
    pub fn reading(&self) -> &str {
        &self.reading
    }

    /// An SVG document that needs nothing besides itself and adapts to light and dark surroundings.
    pub fn svg(&self) -> String {
        self.dressed(&self.name(), &format!("<style>{}</style>", palette::chart_style()))
    }

    /// The same for a page that has the style already; ids begin with `id`.
    pub(in crate::report) fn inline(&self, id: &str) -> String {
        self.dressed(id, "")
    }

    fn dressed(&self, id: &str, style: &str) -> String {
        let opening = format!(
            "<svg class=\"chart\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\" font-family=\"system-ui, \
             sans-serif\" font-size=\"13\" "
        );
        let drawn = self.drawing.replacen("<svg ", &opening, 1);
        let Some((tag, rest)) = drawn.split_once('>') else { return drawn };
        let (title, desc) = (escaped(&self.title), escaped(&self.description));
        format!("{tag}><title id=\"{id}-title\">{title}</title><desc id=\"{id}-desc\">{desc}</desc>{style}{rest}")
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The drawing without attributes that say what holds anyway. No text of others holds a quote or an end of line.
fn slim(drawing: &str) -> String {
    let mut slim = drawing.replace(">\n", ">").replace("\n</text>", "</text>").replace(" \"/>", "\"/>");
    for idle in [
        " opacity=\"1\"",
        " font-family=\"sans-serif\"",
        " stroke=\"none\"",
        " stroke-width=\"0\"",
        " stroke-width=\"1\"",
        " text-anchor=\"start\"",
    ] {
        slim = slim.replace(idle, "");
    }
    let mut parts = slim.split(" font-size=\"");
    let mut without = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        without.push_str(part.split_once('"').map_or(part, |(_, rest)| rest));
    }
    without
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_fit_for_a_file() {
        let chart = Chart::new("percentiles list/page", "a <b>", "c & d", "", "<svg width=\"1\">\n</svg>\n");
        assert_eq!(chart.name(), "percentiles-list-page");
        assert!(chart.svg().contains("<title id=\"percentiles-list-page-title\">a &lt;b&gt;</title>"));
    }

    #[test]
    fn what_holds_anyway_is_not_said() {
        let text = "<text x=\"0\" text-anchor=\"start\" font-family=\"sans-serif\" font-size=\"13\" opacity=\"1\">\nname\n</text>\n";
        assert_eq!(slim(text), "<text x=\"0\">name</text>");
        assert_eq!(slim("<polyline points=\"1,2 3,4 \"/>\n"), "<polyline points=\"1,2 3,4\"/>");
    }
}
