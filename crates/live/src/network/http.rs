//! Asks a camera for its pictures over HTTP. The head of each answer has a time limit, however slowly
//! its bytes come. What follows comes as long as the camera sends.

use super::Address;
use crate::camera::CameraError;
use base64::prelude::{BASE64_STANDARD, Engine};
use rustls::crypto::ring;
use std::{io::Read, sync::Arc, time::Duration};
use ureq::config::RedirectAuthHeaders;
use ureq::http::header;
use ureq::{Agent, Error, tls::TlsConfig};

pub(super) struct Answer {
    pub status: u16,
    /// The media type, in small letters; empty if there is none.
    pub kind: String,
    /// Whether it asks for a login by digest (RFC 7616), and takes none by basic.
    pub asks_for_digest: bool,
    /// What follows the head. A read that takes longer than the patience fails.
    pub body: Box<dyn Read + Send>,
}

const MOST_REDIRECTIONS: u32 = 5;

/// Asks for what is at this address. Redirections are followed; name and password go to the host for
/// which they were given.
pub(super) fn get(address: &Address, patience: Duration) -> Result<Answer, CameraError> {
    let mut request =
        agent(patience).get(address.without_login().as_str()).header(header::CONNECTION, "close");
    if let Some((name, password)) = address.credentials() {
        let pair = format!("{name}:{}", password.unwrap_or_default());
        let login = format!("Basic {}", BASE64_STANDARD.encode(pair));
        request = request.header(header::AUTHORIZATION, login);
    }
    let answer = request.call().map_err(|error| {
        let reason = match error {
            Error::Timeout(_) => format!("no answer within {} s", patience.as_secs_f64()),
            Error::Io(error) => address.without_secrets(&error.to_string()),
            error => address.without_secrets(&error.to_string()),
        };
        CameraError::Unreachable { address: address.to_string(), reason }
    })?;
    let ways = answer.headers().get_all(header::WWW_AUTHENTICATE).iter();
    let ways: Vec<_> = ways.map(|way| way.as_bytes().to_ascii_lowercase()).collect();
    let kind = answer.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    Ok(Answer {
        status: answer.status().as_u16(),
        kind: kind.unwrap_or_default().to_lowercase(),
        asks_for_digest: !ways.is_empty() && ways.iter().all(|way| way.starts_with(b"digest")),
        body: Box::new(answer.into_body().into_reader()),
    })
}

fn agent(patience: Duration) -> Agent {
    // Hardly any camera's certificate is signed by an authority. An address with a secret never comes
    // here by HTTPS, see `Address::is_asked_here`.
    let tls = TlsConfig::builder()
        .disable_verification(true)
        .unversioned_rustls_crypto_provider(Arc::new(ring::default_provider()))
        .build();
    Agent::config_builder()
        .proxy(None)
        .user_agent("setsight")
        .tls_config(tls)
        .http_status_as_error(false)
        .max_redirects(MOST_REDIRECTIONS)
        .max_redirects_will_error(false)
        .redirect_auth_headers(RedirectAuthHeaders::SameHost)
        .timeout_resolve(Some(patience))
        .timeout_connect(Some(patience))
        .timeout_recv_response(Some(patience))
        .timeout_per_read(Some(patience))
        .timeout_per_write(Some(patience))
        .build()
        .new_agent()
}
