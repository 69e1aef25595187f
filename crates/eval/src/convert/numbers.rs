//! Numbers as people and spreadsheets write them.

/// A finite number, perhaps with a decimal comma, as spreadsheets of half of Europe write it.
pub(super) fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let value: f64 = match text.split_once(',') {
        Some((whole, part)) if !part.contains([',', '.']) && !whole.contains('.') => {
            format!("{whole}.{part}").parse().ok()?
        }
        _ => text.parse().ok()?,
    };
    value.is_finite().then_some(value)
}

/// How a file writes its numbers of pixels. `1,024` is a thousand and 24 if nothing in the file
/// says that its comma is a decimal one, and if the photos are large enough for it.
pub(super) struct Numbers {
    /// What stands between thousands.
    grouping: Option<char>,
}

impl Numbers {
    /// From all numbers of a file, and the longest side of its photos in pixels, which is only
    /// asked for if the numbers themselves do not tell.
    pub(super) fn of(texts: &[&str], longest_px: impl FnOnce() -> Option<f64>) -> Self {
        let grouping = [',', '.'].into_iter().find(|&mark| {
            let mut marked = texts.iter().filter(|text| text.contains(mark)).peekable();
            marked.peek().is_some() && marked.all(|text| grouped(text, mark).is_some())
        });
        let Some(mark) = grouping else { return Self { grouping: None } };
        let largest = texts.iter().filter_map(|text| grouped(text, mark)).fold(0.0, f64::max);
        let fits = longest_px().is_some_and(|longest| largest <= longest);
        Self { grouping: fits.then_some(mark) }
    }

    /// A finite number.
    pub(super) fn read(&self, text: &str) -> Option<f64> {
        self.grouping.and_then(|mark| grouped(text, mark)).or_else(|| number(text))
    }
}

/// A number of which `mark` groups the digits by three, such as `12,345.5`.
fn grouped(text: &str, mark: char) -> Option<f64> {
    let text = text.trim();
    let decimal = if mark == ',' { '.' } else { ',' };
    let (whole, part) = text.split_once(decimal).unwrap_or((text, "0"));
    let (first, rest) = whole.split_once(mark)?;
    let is = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let is_grouped = is(first)
        && first.len() <= 3
        && !first.starts_with('0')
        && rest.split(mark).all(|group| is(group) && group.len() == 3)
        && is(part);
    is_grouped.then(|| format!("{}.{part}", whole.replace(mark, "")).parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_may_have_a_decimal_comma() {
        assert_eq!(number(" 12,5"), Some(12.5));
        assert_eq!(number("-1.25e1"), Some(-12.5));
        for text in ["1,234,567", "1,234.5", "1.234,5", "nan", "inf", "", "ten"] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn thousands_are_known_by_all_numbers_of_a_file() {
        let read = |texts: &[&str]| {
            let numbers = Numbers::of(texts, || Some(4000.0));
            texts.iter().map(|text| numbers.read(text).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(read(&["1,024", "900"]), [1024.0, 900.0]);
        assert_eq!(read(&["1.024", "1.300,5"]), [1024.0, 1300.5]);
        assert_eq!(read(&["1,024", "20,5"]), [1.024, 20.5]);
        assert_eq!(read(&["1.024", "0.125"]), [1.024, 0.125]);
        // Three places after the comma, for no photo is so large.
        assert_eq!(read(&["1,024", "340,500"]), [1.024, 340.5]);
    }
}
