//! A connection string whose secrets are never shown.

use std::fmt;

/// What stands in place of a secret.
const HIDDEN: &str = "***";

/// A MongoDB connection string. `Debug` and `Display` hide its password, tokens and passphrases, and
/// [`redact`](Self::redact) takes them out of any text, percent-encoded or not.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretUri {
    text: String,
    shown: String,
    secrets: Vec<String>,
    hosts: Vec<String>,
    srv: bool,
    credentials: bool,
}

/// Why a text is no connection string. Says nothing of what the text holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UriProblem {
    /// It begins with neither scheme.
    #[error("a connection string begins with `mongodb://` or `mongodb+srv://`")]
    Scheme,
    /// The user name or the password is not percent-encoded.
    #[error("its user name or password holds a character that must be percent-encoded (one of `: / ? # [ ] @ %`)")]
    Unencoded,
    /// There is no host.
    #[error("it names no host")]
    NoHost,
    /// A `mongodb+srv` string names several hosts or a port.
    #[error("`mongodb+srv://` takes exactly one host name, without a port")]
    Srv,
    /// It has spaces or control characters.
    #[error("it holds a space, a line break or a control character")]
    Space,
}

/// The parts of a connection string, all as written.
struct Parts<'a> {
    scheme: &'a str,
    user: Option<&'a str>,
    password: Option<&'a str>,
    hosts: &'a str,
    database: &'a str,
    options: Option<&'a str>,
}

impl SecretUri {
    /// Takes a connection string apart; white space around it is dropped.
    ///
    /// # Errors
    /// What is wrong with it, in words that show nothing of it.
    pub fn parse(text: &str) -> Result<Self, UriProblem> {
        let text = text.trim();
        let parts = Parts::of(text)?;
        let srv = parts.scheme == "mongodb+srv://";
        let hosts: Vec<String> = parts.hosts.split(',').map(host_name).collect();
        if hosts.iter().any(String::is_empty) {
            return Err(UriProblem::NoHost);
        }
        if srv && (hosts.len() != 1 || hosts[0].contains(':')) {
            return Err(UriProblem::Srv);
        }
        Ok(Self {
            text: text.to_owned(),
            shown: parts.shown(),
            secrets: parts.secrets(),
            hosts,
            srv,
            credentials: parts.user.is_some() || parts.options().any(|(key, _)| key == "authmechanism"),
        })
    }

    /// The connection string itself, for the driver alone.
    pub(super) fn reveal(&self) -> &str {
        &self.text
    }

    /// Hosts as written (`name`, `name:port`, `[::1]:port`, a socket's path), in lower case; for `mongodb+srv` the one
    /// name that stands for the deployment.
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// Whether it is a `mongodb+srv` string.
    pub fn is_srv(&self) -> bool {
        self.srv
    }

    /// Whether it authenticates.
    pub fn has_credentials(&self) -> bool {
        self.credentials
    }

    /// Whether it holds a password, a token or a passphrase.
    pub fn has_secret(&self) -> bool {
        !self.secrets.is_empty()
    }

    /// The text with every secret of this connection string hidden.
    pub fn redact(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), HIDDEN))
    }
}

impl fmt::Display for SecretUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for SecretUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretUri({})", self.shown)
    }
}

impl std::str::FromStr for SecretUri {
    type Err = UriProblem;

    fn from_str(text: &str) -> Result<Self, UriProblem> {
        Self::parse(text)
    }
}

impl<'a> Parts<'a> {
    fn of(text: &'a str) -> Result<Self, UriProblem> {
        if text.chars().any(|character| character.is_whitespace() || character.is_control()) {
            return Err(UriProblem::Space);
        }
        let scheme = ["mongodb://", "mongodb+srv://"].into_iter().find(|scheme| text.starts_with(scheme));
        let scheme = scheme.ok_or(UriProblem::Scheme)?;
        let rest = &text[scheme.len()..];
        let authority_end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, tail) = rest.split_at(authority_end);
        let (userinfo, hosts) = match authority.rsplit_once('@') {
            Some((userinfo, hosts)) => (Some(userinfo), hosts),
            // `mongodb://user:pa/ss@host` would else take `user:pa` for host and port.
            None if tail.split('=').next().is_some_and(|head| head.contains('@')) => return Err(UriProblem::Unencoded),
            None => (None, authority),
        };
        let (user, password) = match userinfo.map(|info| info.split_once(':').unwrap_or((info, ""))) {
            Some((user, password)) => (Some(user), Some(password).filter(|password| !password.is_empty())),
            None => (None, None),
        };
        if [user, password].into_iter().flatten().any(|part| !is_encoded(part)) {
            return Err(UriProblem::Unencoded);
        }
        let (database, options) = match tail.split_once('?') {
            Some((database, options)) => (database, Some(options)),
            None => (tail, None),
        };
        Ok(Self { scheme, user, password, hosts, database, options })
    }

    /// Options with their keys in lower case, values as written.
    fn options(&self) -> impl Iterator<Item = (String, &'a str)> {
        self.options
            .into_iter()
            .flat_map(|options| options.split(['&', ';']))
            .map(|option| option.split_once('=').unwrap_or((option, "")))
            .map(|(key, value)| (key.to_lowercase(), value))
    }

    fn secrets(&self) -> Vec<String> {
        let options: Vec<&str> =
            self.options().filter(|(key, _)| is_secret_option(key)).map(|(_, value)| value).collect();
        let mut secrets: Vec<String> = self
            .password
            .into_iter()
            .chain(options.iter().copied())
            // `authMechanismProperties=AWS_SESSION_TOKEN:…,SERVICE_NAME:…`: each value alone is a secret too.
            .chain(options.iter().flat_map(|value| value.split(',')).filter_map(|pair| Some(pair.split_once(':')?.1)))
            .flat_map(spellings)
            .filter(|secret| !secret.is_empty())
            .collect();
        // Longest first, so that one secret inside another does not break it up.
        secrets.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        secrets.dedup();
        secrets
    }

    fn shown(&self) -> String {
        let user = match (self.user, self.password) {
            (Some(user), Some(_)) => format!("{user}:{HIDDEN}@"),
            (Some(user), None) => format!("{user}@"),
            _ => String::new(),
        };
        let options = self.options.map(|options| {
            let shown: Vec<String> = options
                .split(['&', ';'])
                .map(|option| match option.split_once('=') {
                    Some((key, _)) if is_secret_option(&key.to_lowercase()) => format!("{key}={HIDDEN}"),
                    _ => option.to_owned(),
                })
                .collect();
            format!("?{}", shown.join("&"))
        });
        format!("{}{user}{}{}{}", self.scheme, self.hosts, self.database, options.unwrap_or_default())
    }
}

/// A host as written, in lower case; a socket's path decoded.
fn host_name(written: &str) -> String {
    let host = decoded(written);
    if host.starts_with('/') { host } else { host.to_lowercase() }
}

/// Options whose values are never shown; `key` in lower case.
fn is_secret_option(key: &str) -> bool {
    key.contains("password") || key.contains("token") || key == "authmechanismproperties"
}

/// Whether every character that the format reserves is percent-encoded.
fn is_encoded(part: &str) -> bool {
    let bytes = part.as_bytes();
    let is_hex = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
    !part.contains([':', '/', '?', '#', '[', ']', '@'])
        && (0..bytes.len()).all(|at| bytes[at] != b'%' || (is_hex(at + 1) && is_hex(at + 2)))
}

/// The ways in which a secret may turn up: as written, decoded, and encoded anew in capital and small digits, with
/// everything encoded that may be, or only what must be.
fn spellings(written: &str) -> Vec<String> {
    let plain = decoded(written);
    let mut spellings = vec![written.to_owned()];
    for keep in [is_unreserved, is_sub_delimiter_or_unreserved] {
        let capital = encoded(&plain, keep);
        spellings.push(lower_digits(&capital));
        spellings.push(capital);
    }
    // What Rust's `{:?}` makes of it.
    spellings.push(plain.escape_debug().to_string());
    spellings.push(plain);
    spellings
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

fn is_sub_delimiter_or_unreserved(byte: u8) -> bool {
    is_unreserved(byte) || b"!$&'()*+,;=".contains(&byte)
}

fn encoded(plain: &str, keep: fn(u8) -> bool) -> String {
    plain.bytes().map(|byte| if keep(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// The same with small hexadecimal digits.
fn lower_digits(encoded: &str) -> String {
    let mut left = 0;
    encoded
        .chars()
        .map(|character| {
            if character == '%' {
                left = 3;
            }
            let digit = left > 0;
            left -= i32::from(digit);
            if digit { character.to_ascii_lowercase() } else { character }
        })
        .collect()
}

/// The text with its percent-encoding taken off.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let byte = (first == b'%')
            .then(|| tail.get(..2).and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()))
            .flatten();
        match byte {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const URI: &str =
        "mongodb://ann:p%40ss%2fw%C3%B6rd@db1.example.com:27018,DB2/admin?tls=true&tlsCertificateKeyFilePassword=k%26y";

    fn hides(text: &str, secrets: &[&str]) {
        for secret in secrets {
            assert!(!text.contains(secret), "{secret} shows in {text}");
        }
    }

    #[test]
    fn neither_display_nor_debug_shows_a_secret() {
        let uri = SecretUri::parse(URI).unwrap();
        for text in [uri.to_string(), format!("{uri:?}"), format!("{:?}", Some(&uri))] {
            hides(&text, &["p%40ss", "p@ss", "wörd", "k%26y", "k&y"]);
            assert!(text.contains("mongodb://ann:***@db1.example.com:27018,DB2/admin?tls=true"), "{text}");
        }
    }

    #[test]
    fn messages_lose_every_spelling_of_a_secret() {
        let uri = SecretUri::parse(URI).unwrap();
        let message =
            "auth as ann with p@ss/wörd failed (p%40ss%2fw%C3%B6rd, p%40ss%2Fw%C3%B6rd, p%40ss%2fw%c3%b6rd; key k&y)";
        assert_eq!(uri.redact(message), "auth as ann with *** failed (***, ***, ***; key ***)");
    }

    #[test]
    fn a_session_token_is_a_secret_with_and_without_its_name() {
        let uri = SecretUri::parse(
            "mongodb://key:sec@h/?authMechanism=MONGODB-AWS&authMechanismProperties=AWS_SESSION_TOKEN:t0k%2Fen,SERVICE_NAME:x",
        )
        .unwrap();
        hides(&uri.to_string(), &["t0k", "sec@"]);
        assert_eq!(uri.redact("token t0k/en"), "token ***");
        assert!(uri.has_secret());
    }

    #[test]
    fn a_password_that_is_not_encoded_is_refused_without_being_shown() {
        for bad in [
            "mongodb://ann:s3s@me@host/",
            "mongodb://ann:s3s/me@host/",
            "mongodb://ann:s3s?me@host/",
            "mongodb://ann:s3s:me@host",
            "mongodb://ann:12/me@host/?tls=true",
            "mongodb://ann:s3s%@host",
        ] {
            let problem = SecretUri::parse(bad).unwrap_err();
            assert_eq!(problem, UriProblem::Unencoded, "{bad}");
            hides(&format!("{problem} {problem:?}"), &["s3s", "me@"]);
        }
    }

    #[test]
    fn hosts_and_credentials_are_told() {
        let uri = SecretUri::parse(URI).unwrap();
        assert_eq!(uri.hosts(), ["db1.example.com:27018", "db2"]);
        assert!(uri.has_credentials() && uri.has_secret() && !uri.is_srv());

        let plain = SecretUri::parse(" mongodb://localhost:27017/?appName=a@b \n").unwrap();
        assert_eq!(plain.hosts(), ["localhost:27017"]);
        assert!(!plain.has_credentials() && !plain.has_secret());
        assert_eq!(plain.redact("nothing to hide"), "nothing to hide");

        let srv = SecretUri::parse("mongodb+srv://u:p@Cluster0.example.net/").unwrap();
        assert_eq!(srv.hosts(), ["cluster0.example.net"]);
        assert!(srv.is_srv());
    }

    #[test]
    fn what_is_no_connection_string_is_told_apart() {
        let problem = |text| SecretUri::parse(text).unwrap_err();
        assert_eq!(problem("http://host"), UriProblem::Scheme);
        assert_eq!(problem(""), UriProblem::Scheme);
        assert_eq!(problem("mongodb://"), UriProblem::NoHost);
        assert_eq!(problem("mongodb://a,,b"), UriProblem::NoHost);
        assert_eq!(problem("mongodb+srv://a,b"), UriProblem::Srv);
        assert_eq!(problem("mongodb+srv://a:27017"), UriProblem::Srv);
        assert_eq!(problem("mongodb://a b"), UriProblem::Space);
    }
}
