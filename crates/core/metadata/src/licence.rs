//! Licences by the addresses of their texts.

/// Prefix of `CC-BY-4.0` and its like, and the longest version and jurisdiction in their addresses (`3.0`, `scotland`).
const CC: &str = "CC";
const PART_BYTES: usize = 8;

/// Bytes of an SPDX identifier. The longest has 36.
const SPDX_BYTES: usize = 64;

/// Sites with texts of licences.
const HOSTS: [&str; 6] = [
    "creativecommons.org",
    "opensource.org",
    "spdx.org",
    "gnu.org",
    "apache.org",
    "opendatacommons.org",
];

/// Names of the Open Source Initiative in its addresses, in lower case, with SPDX identifiers.
const OPEN_SOURCE: [(&str, &str); 31] = [
    ("0bsd", "0BSD"),
    ("afl-3.0", "AFL-3.0"),
    ("agpl-3.0", "AGPL-3.0"),
    ("agpl-v3", "AGPL-3.0"),
    ("apache-2.0", "Apache-2.0"),
    ("apache2.0", "Apache-2.0"),
    ("artistic-2.0", "Artistic-2.0"),
    ("bsd-2-clause", "BSD-2-Clause"),
    ("bsd-3-clause", "BSD-3-Clause"),
    ("bsl-1.0", "BSL-1.0"),
    ("cddl-1.0", "CDDL-1.0"),
    ("epl-1.0", "EPL-1.0"),
    ("epl-2.0", "EPL-2.0"),
    ("eupl-1.2", "EUPL-1.2"),
    ("gpl-2.0", "GPL-2.0"),
    ("gpl-3.0", "GPL-3.0"),
    ("isc", "ISC"),
    ("isc-license-txt", "ISC"),
    ("lgpl-2.1", "LGPL-2.1"),
    ("lgpl-3.0", "LGPL-3.0"),
    ("mit", "MIT"),
    ("mit-license", "MIT"),
    ("mpl-1.1", "MPL-1.1"),
    ("mpl-2.0", "MPL-2.0"),
    ("ms-pl", "MS-PL"),
    ("ofl-1.1", "OFL-1.1"),
    ("osl-3.0", "OSL-3.0"),
    ("python-2.0", "Python-2.0"),
    ("unlicense", "Unlicense"),
    ("w3c", "W3C"),
    ("zlib", "Zlib"),
];

/// Returns the name of the licence whose text is at an address, in the form of SPDX: `CC-BY-SA-4.0`, `CC0-1.0`, `MIT`.
///
/// It knows Creative Commons, the Open Source Initiative, SPDX, GNU, Apache and Open Data Commons. A licence of Creative
/// Commons for a jurisdiction has its code (`CC-BY-SA-3.0-DE`), also where SPDX has no identifier for it; one without a version
/// has none. GNU licences are named without `-only` or `-or-later`, which an address does not tell.
///
/// ```
/// use metadata::licence_at;
///
/// let address = "https://creativecommons.org/licenses/by-sa/4.0/deed.de";
/// assert_eq!(licence_at(address).as_deref(), Some("CC-BY-SA-4.0"));
/// assert_eq!(licence_at("https://tea.example/licenses/by-sa/4.0/"), None);
/// ```
pub fn licence_at(address: &str) -> Option<String> {
    let (host, path) = host_and_path(address.trim())?;
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let lower: Vec<String> = parts.iter().map(|part| part.to_ascii_lowercase()).collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    match (host, &lower[..]) {
        ("creativecommons.org", parts) => creative_commons(parts),
        ("opensource.org", ["license" | "licenses", name, ..]) => open_source(without_suffix(name)),
        ("spdx.org", ["licenses", _]) => spdx(without_suffix(parts[1])),
        ("gnu.org", ["licenses", .., name]) => gnu(without_suffix(name)),
        ("apache.org", ["licenses", name]) => {
            (without_suffix(name) == "license-2.0").then(|| "Apache-2.0".to_owned())
        }
        ("opendatacommons.org", ["licenses", name, ..]) => open_data(name),
        _ => None,
    }
}

/// One of [`HOSTS`] and what follows it, of an absolute address of the web or one without a scheme.
fn host_and_path(address: &str) -> Option<(&'static str, &str)> {
    let (scheme, rest) = address.split_once("//")?;
    let is_of_web = ["", "http:", "https:"]
        .iter()
        .any(|of| scheme.eq_ignore_ascii_case(of));
    let (host, path) = rest.split_once('/').filter(|_| is_of_web)?;
    let host = match host.split_once('.') {
        Some((www, host)) if www.eq_ignore_ascii_case("www") => host,
        _ => host,
    };
    let known = HOSTS
        .into_iter()
        .find(|known| known.eq_ignore_ascii_case(host));
    Some((known?, path))
}

/// `gpl-3.0.en.html` is `gpl-3.0`.
fn without_suffix(name: &str) -> &str {
    let suffixes = [".html", ".txt", ".php", ".json"];
    let name = suffixes
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix))
        .unwrap_or(name);
    match name.rsplit_once('.') {
        Some((name, language)) if language.bytes().all(|c| c.is_ascii_lowercase()) => name,
        _ => name,
    }
}

/// `/licenses/by-nc-sa/3.0/us/deed.en` and `/publicdomain/zero/1.0/`.
fn creative_commons(parts: &[&str]) -> Option<String> {
    let (kind, rest) = match parts {
        ["publicdomain", "zero", rest @ ..] => (format!("{CC}0"), rest),
        ["publicdomain", "mark", rest @ ..] => (format!("{CC}-PDM"), rest),
        ["licenses", "publicdomain", ..] => return Some(format!("{CC}-PDDC")),
        ["licenses", conditions, rest @ ..] => (conditions_of(conditions)?, rest),
        _ => return None,
    };
    let is_version = |part: &&&str| part.starts_with(|c: char| c.is_ascii_digit());
    let Some(version) = rest.first().filter(is_version) else {
        return Some(kind);
    };
    let is_number = |number: &str| !number.is_empty() && number.bytes().all(|c| c.is_ascii_digit());
    let (major, minor) = version.split_once('.')?;
    if !is_number(major) || !is_number(minor) || version.len() > PART_BYTES {
        return None;
    }
    let is_jurisdiction = |part: &&&str| {
        part.len() <= PART_BYTES && part.bytes().all(|c| c.is_ascii_lowercase()) && **part != "deed"
    };
    let jurisdiction = rest.get(1).filter(is_jurisdiction);
    let jurisdiction = jurisdiction.map(|code| format!("-{}", code.to_ascii_uppercase()));
    Some(format!(
        "{kind}-{version}{}",
        jurisdiction.unwrap_or_default()
    ))
}

/// The conditions in the order of SPDX: version 1.0 has `by-nd-nc` too.
fn conditions_of(conditions: &str) -> Option<String> {
    const ORDER: [&str; 4] = ["by", "nc", "nd", "sa"];
    let mut named: Vec<usize> = (conditions.split('-'))
        .map(|part| ORDER.iter().position(|of| *of == part))
        .collect::<Option<_>>()?;
    named.sort_unstable();
    let is_set = named.windows(2).all(|pair| pair[0] < pair[1]);
    let names = named
        .iter()
        .map(|at| format!("-{}", ORDER[*at].to_ascii_uppercase()));
    is_set.then(|| format!("{CC}{}", names.collect::<String>()))
}

fn open_source(name: &str) -> Option<String> {
    let found = OPEN_SOURCE.iter().find(|(of, _)| *of == name);
    found.map(|(_, identifier)| (*identifier).to_owned())
}

/// The page of an identifier has its name.
fn spdx(name: &str) -> Option<String> {
    let is_of_name = |c: u8| c.is_ascii_alphanumeric() || b"-.+".contains(&c);
    let is_name = name.len() <= SPDX_BYTES
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.bytes().all(is_of_name);
    (is_name && name != "index").then(|| name.to_owned())
}

fn gnu(name: &str) -> Option<String> {
    let (licence, version) = name.split_once('-')?;
    let licence = match licence {
        "gpl" => "GPL",
        "lgpl" => "LGPL",
        "agpl" => "AGPL",
        "fdl" => "GFDL",
        _ => return None,
    };
    let is_version = matches!(
        version,
        "1.0" | "1.1" | "1.2" | "1.3" | "2.0" | "2.1" | "3.0"
    );
    is_version.then(|| format!("{licence}-{version}"))
}

/// All are at their first version.
fn open_data(name: &str) -> Option<String> {
    let identifier = match name {
        "odbl" => "ODbL-1.0",
        "by" => "ODC-By-1.0",
        "pddl" => "PDDL-1.0",
        _ => return None,
    };
    Some(identifier.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::licence_at;

    #[test]
    fn addresses_of_licences_have_names_of_spdx() {
        for (address, expected) in [
            ("https://creativecommons.org/licenses/by/4.0/", "CC-BY-4.0"),
            (
                "http://www.CreativeCommons.org/licenses/by-nc-sa/2.5",
                "CC-BY-NC-SA-2.5",
            ),
            (
                "//creativecommons.org/licenses/by-sa/3.0/de/deed.de",
                "CC-BY-SA-3.0-DE",
            ),
            (
                "https://creativecommons.org/licenses/by/3.0/igo/legalcode",
                "CC-BY-3.0-IGO",
            ),
            (
                "https://creativecommons.org/licenses/by/2.5/scotland/",
                "CC-BY-2.5-SCOTLAND",
            ),
            (
                "https://creativecommons.org/licenses/by-nd-nc/1.0/",
                "CC-BY-NC-ND-1.0",
            ),
            (
                "https://creativecommons.org/licenses/by-sa/4.0/deed.en?ref=x#y",
                "CC-BY-SA-4.0",
            ),
            ("https://creativecommons.org/licenses/by-sa/", "CC-BY-SA"),
            (
                "https://creativecommons.org/publicdomain/zero/1.0/",
                "CC0-1.0",
            ),
            (
                "https://creativecommons.org/publicdomain/mark/1.0/deed.fr",
                "CC-PDM-1.0",
            ),
            (
                "http://creativecommons.org/licenses/publicdomain/",
                "CC-PDDC",
            ),
            ("http://www.opensource.org/licenses/mit-license.php", "MIT"),
            (
                "https://opensource.org/license/bsd-3-clause/",
                "BSD-3-Clause",
            ),
            ("https://opensource.org/licenses/Apache-2.0", "Apache-2.0"),
            ("https://spdx.org/licenses/CC-BY-4.0.html", "CC-BY-4.0"),
            ("https://spdx.org/licenses/GPL-2.0+", "GPL-2.0+"),
            ("https://www.gnu.org/licenses/gpl-3.0.en.html", "GPL-3.0"),
            (
                "https://www.gnu.org/licenses/old-licenses/fdl-1.2.txt",
                "GFDL-1.2",
            ),
            (
                "https://www.apache.org/licenses/LICENSE-2.0.html",
                "Apache-2.0",
            ),
            ("https://opendatacommons.org/licenses/odbl/1-0/", "ODbL-1.0"),
        ] {
            assert_eq!(licence_at(address).as_deref(), Some(expected), "{address}");
        }
    }

    #[test]
    fn other_addresses_are_no_licences() {
        for address in [
            "",
            "/licenses/by/4.0/",
            "https://creativecommons.org/",
            "https://creativecommons.org/licenses/",
            "https://creativecommons.org/licenses/by-by/4.0/",
            "https://creativecommons.org/licenses/by/4.x/",
            "https://creativecommons.org/licenses/sampling+/1.0/",
            "https://creativecommons.org.evil.example/licenses/by/4.0/",
            "https://i.creativecommons.org/l/by/4.0/88x31.png",
            "https://search.creativecommons.org/licenses/by/4.0/",
            "javascript://creativecommons.org/licenses/by/4.0/",
            "https://opensource.org/licenses/",
            "https://opensource.org/licenses/alphabetical",
            "https://spdx.org/licenses/",
            "https://spdx.org/licenses/a b",
            "https://www.gnu.org/licenses/gpl.html",
            "https://www.gnu.org/licenses/why-not-lgpl.html",
        ] {
            assert_eq!(licence_at(address), None, "{address}");
        }
    }

    proptest! {
        /// A name has no more than the characters of SPDX, whatever the address.
        #[test]
        fn a_name_is_short_and_plain(path in "(licenses|publicdomain)/[a-zé0-9./+-]{0,20}(/[0-9.]{0,9})?(/[a-zA-Z]{0,12})?") {
            for host in ["creativecommons.org", "spdx.org", "opensource.org", "gnu.org"] {
                if let Some(name) = licence_at(&format!("https://{host}/{path}")) {
                    prop_assert!(name.len() <= 64 && name.is_ascii() && !name.contains(['/', ' ']), "{name}");
                }
            }
        }
    }
}
