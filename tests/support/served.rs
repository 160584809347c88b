//! `urltree serve`, and requests to it that say what a test wants them to say.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Child;
use std::time::Duration;

use super::Job;

/// A server that runs. It is killed when this is dropped.
pub(crate) struct Served {
    pub(crate) child: Child,
    /// Host and port.
    pub(crate) address: String,
}

/// A response.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// By lower-case name.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

impl Served {
    /// Starts `urltree serve` with a free port.
    pub(crate) fn start(job: &Job, arguments: &[&str]) -> Self {
        let arguments = [&["--listen", "127.0.0.1:0"], arguments].concat();
        let mut child = job.start("serve", &arguments, None);
        let out = child.stdout.as_mut().expect("a pipe");
        let mut line = String::new();
        (BufReader::new(out).read_line(&mut line)).expect("UTF-8");
        let address = line.trim().strip_prefix("http://");
        let address = address.and_then(|address| address.strip_suffix('/'));
        let address = address.unwrap_or_else(|| panic!("no address: {line}"));
        Self {
            address: address.to_owned(),
            child,
        }
    }

    /// Asks for a page as a browser does that shows the address.
    pub(crate) fn get(&self, path: &str) -> Response {
        self.ask("GET", path, &[("Host", &self.address)], "")
    }

    /// Runs a query as the form does.
    pub(crate) fn sql(&self, query: &str) -> Response {
        self.send("/sql", &[("query", query)])
    }

    /// Sends a form as a browser does that shows it.
    pub(crate) fn send(&self, path: &str, fields: &[(&str, &str)]) -> Response {
        let origin = format!("http://{}", self.address);
        let headers = [
            ("Host", self.address.as_str()),
            ("Origin", &origin),
            ("Sec-Fetch-Site", "same-origin"),
        ];
        self.post(path, fields, &headers)
    }

    /// Sends the form of a query with these headers.
    pub(crate) fn post_sql(&self, query: &str, headers: &[(&str, &str)]) -> Response {
        self.post("/sql", &[("query", query)], headers)
    }

    /// Sends a form with these headers.
    pub(crate) fn post(
        &self,
        path: &str,
        fields: &[(&str, &str)],
        headers: &[(&str, &str)],
    ) -> Response {
        let form = ("Content-Type", "application/x-www-form-urlencoded");
        let body: String = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(fields)
            .finish();
        self.ask("POST", path, &[headers, &[form]].concat(), &body)
    }

    /// Sends a request with these headers alone.
    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Response {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        let patience = Some(Duration::from_secs(120));
        stream.set_read_timeout(patience).expect("a time limit");
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        request += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        (stream.write_all(request.as_bytes())).expect("a request can be sent");
        let mut text = Vec::new();
        stream.read_to_end(&mut text).expect("a response");
        let text = String::from_utf8(text).expect("UTF-8");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head");
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1));
        let header = |line: &str| {
            let (name, value) = line.split_once(": ").expect("a header");
            (name.to_ascii_lowercase(), value.to_owned())
        };
        Response {
            status: status.expect("a status").parse().expect("a number"),
            headers: lines.map(header).collect(),
            body: body.to_owned(),
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Response {
    /// Asserts the status. Returns the page.
    pub(crate) fn page(self, status: u16) -> String {
        assert_eq!(self.status, status, "{}", self.body);
        self.body
    }
}
