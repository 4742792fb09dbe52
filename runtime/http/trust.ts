/** Whose certificates outgoing connections trust. */
import { readFile } from 'node:fs/promises';
import tls from 'node:tls';
import type { TrustPlan } from '#schemas';
import { codeOf } from './connection-failure.ts';
import type { buildConnector } from './undici.ts';

/** The file of authorities is missing or no such file. The message names it and the cause. */
export class TrustError extends Error {
  readonly code = 'ERR_HTTP_TRUST';
  constructor(path: string, cause: string) {
    super(`the certificate authorities in ${path} cannot be used: ${cause}`);
    this.name = 'TrustError';
  }
}

/** Certificates of a spec, in place or in a file, beside the usual authorities; those alone without any. */
export function trustBeside({ caPem, caFile }: { readonly caPem?: string; readonly caFile?: string }): TrustPlan {
  if (caPem !== undefined) return { type: 'pem', pem: caPem, replaces: false };
  return caFile === undefined ? { type: 'default' } : { type: 'file', path: caFile, replaces: false };
}

/** PEM certificates to trust. Those given to a TLS connection replace the usual ones, so these are listed as well. */
export function trustedCertificates(pem: string, replaces: boolean): string[] {
  return replaces ? [pem] : [...tls.getCACertificates('default'), pem];
}

/**
 * A connector by which TLS connections trust what the plan says. A file is read for each connection: connections are few,
 * and so a rotated one counts from the next on.
 *
 * @param build makes a connector that trusts the given certificates, or the usual authorities
 */
export function trustingConnector(
  trust: TrustPlan,
  build: (ca?: string[]) => buildConnector.connector,
): buildConnector.connector {
  if (trust.type === 'default') return build();
  if (trust.type === 'pem') return build(trustedCertificates(trust.pem, trust.replaces));
  let known: { readonly pem: string; readonly connect: buildConnector.connector } | undefined;
  return (options, callback) => {
    readAuthorities(trust.path).then(
      pem => {
        if (known?.pem !== pem) known = { pem, connect: build(trustedCertificates(pem, trust.replaces)) };
        known.connect(options, callback);
      },
      error => callback(error, null),
    );
  };
}

/**
 * The certificates in a file.
 *
 * @throws TrustError
 */
export async function readAuthorities(path: string): Promise<string> {
  let pem: string;
  try {
    pem = await readFile(path, 'utf8');
  } catch (error) {
    throw new TrustError(path, `it cannot be read (${codeOf(error)})`);
  }
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) throw new TrustError(path, 'it has no PEM certificate');
  return pem;
}
