/** The authorities whose certificates outgoing connections trust. */
import tls from 'node:tls';
import type { TrustPlan } from '#schemas';
import type { Logger } from '../observe/log.ts';
import { AuthorityFile } from './authority-file.ts';
import type { buildConnector } from './undici.ts';

/** Trusts the certificates of a spec, inline or in a file, in addition to the usual authorities; without any, only the usual authorities. */
export function withAdditionalCa({ caPem, caFile }: { readonly caPem?: string; readonly caFile?: string }): TrustPlan {
  if (caPem !== undefined) return { type: 'pem', pem: caPem, replaces: false };
  return caFile === undefined ? { type: 'default' } : { type: 'file', path: caFile, replaces: false };
}

/** The certificates to trust, for Node's option `ca`. This option replaces the usual authorities, so the list includes them unless `replaces`. */
export function listTrustedCertificates(pem: string, replaces: boolean): string[] {
  return replaces ? [pem] : [...tls.getCACertificates('default'), pem];
}

/**
 * A connector whose TLS connections trust the plan's authorities. It reads the file of authorities for each connection, because connections are rare
 * and a changed file then applies from the next connection on.
 * @param file the file, when the plan names one
 * @param build creates a connector that trusts the given certificates, or the usual authorities
 */
export function createTrustingConnector(
  trust: TrustPlan,
  file: AuthorityFile | undefined,
  build: (ca?: string[]) => buildConnector.connector,
): buildConnector.connector {
  if (trust.type === 'default') return build();
  if (trust.type === 'pem') return build(listTrustedCertificates(trust.pem, trust.replaces));
  const authorities = file ?? new AuthorityFile(trust.path);
  let known: { readonly pem: string; readonly connect: buildConnector.connector } | undefined;
  return (options, callback) => {
    authorities.read().then(
      pem => {
        if (known?.pem !== pem) known = { pem, connect: build(listTrustedCertificates(pem, trust.replaces)) };
        known.connect(options, callback);
      },
      error => callback(error, null),
    );
  };
}

/** Watches the file that a plan names, and logs its changes; undefined if the plan names no file. */
export function followAuthorities(trust: TrustPlan, log: Logger): AuthorityFile | undefined {
  return trust.type === 'file' ? new AuthorityFile(trust.path, log) : undefined;
}
