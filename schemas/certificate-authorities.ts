import { X509Certificate } from 'node:crypto';

/** The result of checking certificate authorities. No message contains any of their text. */
export interface CheckedAuthorities {
  /** Why the text cannot be used, as the end of a sentence that begins with its name: `holds no PEM certificate`. Undefined when it can. */
  readonly problem: string | undefined;
  /** Warnings about a usable text, as ends of sentences. */
  readonly warnings: readonly string[];
}

/** The beginning of a certificate, which counts only at the start of a line, as in OpenSSL. */
const BEGIN = /^-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/gm;
const BLOCK = /^-----BEGIN ((?:X509 |TRUSTED )?CERTIFICATE)-----[^-]*^-----END \1-----/gm;
const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/;

/**
 * Checks PEM certificates (RFC 7468) that verify the other side of TLS connections. TLS itself does not report errors in them: it stops at the
 * first broken certificate and ignores those that follow.
 *
 * @param now the time at which certificates must not have expired
 */
export function validateAuthorities(pem: string, now: Date): CheckedAuthorities {
  const refused = (problem: string): CheckedAuthorities => ({ problem, warnings: [] });
  const text = pem.replace(/^\uFEFF/, '');
  if (text.trim() === '') return refused('is empty');
  if (PRIVATE_KEY.test(text)) return refused('holds a private key, which must not be where certificates are trusted');
  const count = text.match(BEGIN)?.length ?? 0;
  if (count === 0) return refused('holds no PEM certificate: expected a line -----BEGIN CERTIFICATE-----');
  const blocks = text.match(BLOCK) ?? [];
  const certificates = blocks.map(parseCertificate);
  const broken = certificates.indexOf(undefined);
  if (broken !== -1 || blocks.length < count) {
    return refused(
      `holds ${formatOrdinal(broken === -1 ? undefined : broken, count)} that is broken: encode it again as PEM`,
    );
  }
  const read = certificates.flatMap(certificate => certificate ?? []);
  if (!read.some(isTrustAnchor)) {
    return refused('holds no certificate of an authority, so it verifies no server: add that of the issuer');
  }
  return {
    problem: undefined,
    warnings: read.flatMap((found, index) => listWarnings(found, formatOrdinal(index, count), now)),
  };
}

function parseCertificate(block: string): X509Certificate | undefined {
  try {
    return new X509Certificate(block);
  } catch {
    return undefined;
  }
}

/** A self-signed certificate verifies its own server, even if it is not an authority. */
function isTrustAnchor(certificate: X509Certificate): boolean {
  return certificate.ca || (certificate.issuer === certificate.subject && certificate.checkIssued(certificate));
}

function listWarnings(certificate: X509Certificate, which: string, now: Date): string[] {
  const end = certificate.validToDate;
  if (end < now) return [`holds ${which} that has expired on ${end.toISOString().slice(0, 10)}`];
  return isTrustAnchor(certificate) ? [] : [`holds ${which} that is none of an authority, and has no effect`];
}

function formatOrdinal(index: number | undefined, count: number): string {
  if (count === 1) return 'a certificate';
  return index === undefined ? `one of ${count} certificates` : `certificate ${index + 1} of ${count}`;
}
