//! Certificates of drivers and workers.

use std::path::{Path, PathBuf};

use tonic::transport::{Certificate, ClientTlsConfig, Identity, ServerTlsConfig};

use crate::error::ClusterError;

/// Files with which drivers and workers prove who they are. All have certificates of one authority.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate of this process and those between it and the authority, in PEM.
    pub certificate: PathBuf,
    /// The private key of the certificate, in PEM.
    pub key: PathBuf,
    /// The certificate of the authority, in PEM.
    pub authority: PathBuf,
    /// The name in the certificates of workers. Without it, they have the host of their address.
    pub worker_name: Option<String>,
}

/// The content of [`TlsFiles`].
#[derive(Clone)]
pub struct Tls {
    identity: Identity,
    authority: Certificate,
    worker_name: Option<String>,
}

impl Tls {
    /// Reads the files. If the process has no provider of cryptography yet, it is `ring` from now on:
    /// rustls is linked with two, and does not choose.
    ///
    /// # Errors
    /// [`ClusterError::TlsFile`] where one cannot be read. Their content is checked at the first
    /// connection.
    pub fn read(files: &TlsFiles) -> Result<Self, ClusterError> {
        // An error says that there is one already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Ok(Self {
            identity: Identity::from_pem(bytes(&files.certificate)?, bytes(&files.key)?),
            authority: Certificate::from_pem(bytes(&files.authority)?),
            worker_name: files.worker_name.clone(),
        })
    }

    /// Accepts clients with a certificate of the authority only.
    pub(crate) fn server(&self) -> ServerTlsConfig {
        ServerTlsConfig::new()
            .identity(self.identity.clone())
            .client_ca_root(self.authority.clone())
    }

    pub(crate) fn client(&self) -> ClientTlsConfig {
        let config = ClientTlsConfig::new()
            .identity(self.identity.clone())
            .ca_certificate(self.authority.clone());
        match &self.worker_name {
            Some(name) => config.domain_name(name),
            None => config,
        }
    }
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tls")
    }
}

fn bytes(path: &Path) -> Result<Vec<u8>, ClusterError> {
    std::fs::read(path).map_err(|source| ClusterError::TlsFile {
        path: path.to_owned(),
        source,
    })
}
