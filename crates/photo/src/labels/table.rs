//! Tables as CSV, however a spreadsheet writes them.

use std::io::{self, ErrorKind};

/// Most fields of a table: each takes some 50 bytes in memory.
const MAX_FIELDS: usize = 4_000_000;

/// A table whose first line names its columns.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The columns' names in lower case.
    pub columns: Vec<String>,
    /// The other lines: the number of each in the file, counted from 1, and its fields.
    pub rows: Vec<(u64, Vec<String>)>,
}

/// Reads a table with a first line of names.
///
/// # Errors
/// The text is no CSV, or not UTF-8.
pub fn table_of(text: &[u8]) -> Result<Table, csv::Error> {
    let mut rows = rows_of(text)?;
    let columns = if rows.is_empty() { Vec::new() } else { rows.remove(0).1 };
    Ok(Table { columns: columns.iter().map(|name| name.to_lowercase()).collect(), rows })
}

/// Reads a table without names: the number of each line in the file, counted from 1, and its fields.
///
/// # Errors
/// The text is no CSV, or not UTF-8.
pub fn rows_of(text: &[u8]) -> Result<Vec<(u64, Vec<String>)>, csv::Error> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .trim(csv::Trim::All)
        .flexible(true)
        .delimiter(separator(text))
        .from_reader(text);
    let mut fields = 0;
    let row = |record: Result<csv::StringRecord, csv::Error>| {
        let record = record?;
        fields += record.len();
        if fields > MAX_FIELDS {
            let reason = format!("it has more than {MAX_FIELDS} fields; split it");
            return Err(io::Error::new(ErrorKind::FileTooLarge, reason).into());
        }
        let line = record.position().map_or(0, csv::Position::line);
        Ok((line, record.iter().map(str::to_owned).collect()))
    };
    reader.records().map(row).collect()
}

/// What stands between the fields: the most frequent of comma, semicolon and tab in the first line
/// that is no remark.
pub(super) fn separator(text: &[u8]) -> u8 {
    let mut lines = text.split(|&byte| byte == b'\n');
    let first = lines.find(|line| !line.trim_ascii().is_empty() && !line.starts_with(b"#"));
    let (mut counts, mut quoted) = ([(b',', 0), (b';', 0), (b'\t', 0)], false);
    for &byte in first.unwrap_or_default() {
        quoted ^= byte == b'"';
        for (separator, count) in &mut counts {
            *count += usize::from(!quoted && byte == *separator);
        }
    }
    // Of equals the first.
    counts.iter().rev().max_by_key(|(_, count)| *count).map_or(b',', |(separator, _)| *separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read_however_they_are_separated() {
        for text in [
            "File,\"x; y\",code\na.jpg,\"1,5\",2spd\n",
            "File;x; y;code\r\na.jpg;1,5;2spd\r\n".replace("x; y", "\"x; y\"").as_str(),
            "\nFile\t\"x; y\"\tcode\na.jpg\t1,5\t2spd",
        ] {
            let table = table_of(text.as_bytes()).unwrap();
            assert_eq!(table.columns, ["file", "x; y", "code"], "{text}");
            assert_eq!(table.rows[0].1, ["a.jpg", "1,5", "2spd"], "{text}");
        }
        assert_eq!(table_of(b"a,b\n1,2\n").unwrap().rows, [(2, vec!["1".into(), "2".into()])]);
        assert!(table_of(b"").unwrap().columns.is_empty());
        assert!(table_of(b"a,\xff\n").is_err());
    }
}
