/**
 * The environment setting that would make TLS accept any certificate, or undefined. Node reads that variable for each connection without a
 * setting of its own, so a program that fetches keys, lists or tools must not run with it.
 *
 * @param environment as `process.env`
 * @see https://nodejs.org/api/cli.html#node_tls_reject_unauthorizedvalue
 */
export function findTlsProblem(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  if (environment.NODE_TLS_REJECT_UNAUTHORIZED !== '0') return undefined;
  return 'NODE_TLS_REJECT_UNAUTHORIZED=0 turns off the verification of certificates: unset it, and name a private authority in the spec (caBundleRef) or in NODE_EXTRA_CA_CERTS';
}
