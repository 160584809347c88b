//! Changes of the file of marks.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use template::marks::{Mark, MarkFile};

use crate::marks::MarkChanges;
use crate::usage::Usage;

/// Makes changes of the marks of `domain` in the file at `path`, with `note` on the lines that are set. Returns whether
/// the file has changed.
///
/// The file is read again, so that changes of others since the job was read are kept. It is replaced as a whole: a
/// reader sees the old file or the new one. `domain_of` is that of [`MarkFile::parse`].
pub(crate) fn save(
    path: &Path,
    domain: &str,
    changes: &MarkChanges,
    note: &str,
    domain_of: impl Fn(&str) -> Option<String>,
) -> Result<bool> {
    // A link keeps its place.
    let path = std::fs::canonicalize(path).with_context(|| path.display().to_string())?;
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let parsed = MarkFile::parse(&text, domain_of);
    let mut file = parsed.map_err(|error| Usage::of(format!("{}, {error}", path.display())))?;
    if !changed(&mut file, domain, changes, note) {
        return Ok(false);
    }
    let replaced = replace(&path, file.to_string().as_bytes());
    replaced.with_context(|| format!("cannot write {}", path.display()))?;
    Ok(true)
}

/// Makes changes of the marks of `domain`. Returns whether anything has changed.
fn changed(file: &mut MarkFile, domain: &str, changes: &MarkChanges, note: &str) -> bool {
    let mut is_changed = false;
    for (path, label) in &changes.set {
        is_changed |= file.set(Mark {
            domain: domain.to_owned(),
            path: path.clone(),
            label: *label,
            note: note.to_owned(),
        });
    }
    for path in &changes.removed {
        is_changed |= file.remove(domain, path);
    }
    is_changed
}

/// Replaces a file by one with these bytes and its permissions.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut new = tempfile::Builder::new()
        .prefix(".paths-")
        .tempfile_in(folder)?;
    new.write_all(bytes)?;
    let permissions = std::fs::metadata(path)?.permissions();
    new.as_file().set_permissions(permissions)?;
    new.as_file().sync_all()?;
    new.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use template::marks::{Label, MarkedPath};

    use super::*;

    #[test]
    fn a_file_is_replaced_with_the_changes_and_keeps_comments_mode_and_link() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (
            folder.path().join("paths.tsv"),
            folder.path().join("link.tsv"),
        );
        std::fs::write(&file, "# ours\na.example\tp\tcontent\tby Ann\n").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let path = |text| MarkedPath::parse(text).unwrap();
        let set = vec![(path("div.b"), Label::Boilerplate)];
        let changes = MarkChanges::new(set, vec![path("p")]).unwrap();
        let save = || {
            save(&link, "a.example", &changes, "by Bob", |host| {
                Some(host.to_owned())
            })
        };
        assert!(save().unwrap());
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(text, "# ours\na.example\tdiv.b\tboilerplate\tby Bob\n");
        assert!(!save().unwrap(), "nothing changes the second time");
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_bad_line_is_named_and_the_file_stays() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("paths.tsv");
        let text = "# ours\na.example\tp\tkeep\n";
        std::fs::write(&file, text).unwrap();
        let changes = MarkChanges::new(vec![], vec![]).unwrap();
        let error = save(&file, "a.example", &changes, "", |host| {
            Some(host.to_owned())
        });
        let error = error.unwrap_err().to_string();
        assert!(error.contains("paths.tsv, line 2: `keep`"), "{error}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    }
}
