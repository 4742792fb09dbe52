/** The authorities whose certificates outgoing connections trust. */
import tls from 'node:tls';
import type { TrustPlan } from '#schemas';
import type { Logger } from '../observe/log.ts';
import { AuthorityFile } from './authority-file.ts';
import type { buildConnector } from './undici.ts';

/** Certificates of a spec, in place or in a file, besides the usual authorities; those alone without any. */
export function withAdditionalCa({ caPem, caFile }: { readonly caPem?: string; readonly caFile?: string }): TrustPlan {
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
 * @param file where the plan names one
 * @param build makes a connector that trusts the given certificates, or the usual authorities
 */
export function trustingConnector(
  trust: TrustPlan,
  file: AuthorityFile | undefined,
  build: (ca?: string[]) => buildConnector.connector,
): buildConnector.connector {
  if (trust.type === 'default') return build();
  if (trust.type === 'pem') return build(trustedCertificates(trust.pem, trust.replaces));
  const authorities = file ?? new AuthorityFile(trust.path);
  let known: { readonly pem: string; readonly connect: buildConnector.connector } | undefined;
  return (options, callback) => {
    authorities.read().then(
      pem => {
        if (known?.pem !== pem) known = { pem, connect: build(trustedCertificates(pem, trust.replaces)) };
        known.connect(options, callback);
      },
      error => callback(error, null),
    );
  };
}

/** The file that a plan names, followed from now on, with what it becomes in the log; undefined where it names none. */
export function followAuthorities(trust: TrustPlan, log: Logger): AuthorityFile | undefined {
  return trust.type === 'file' ? new AuthorityFile(trust.path, log) : undefined;
}
