/** Says in words why a request got no answer. */
import { escapeUnprintable } from './render/printable.ts';

const UNTRUSTED =
  'its certificate is not trusted: set NODE_EXTRA_CA_CERTS to a file with the certificate of its authority';

const CAUSES: { readonly [code: string]: string } = {
  ECONNREFUSED: 'the connection was refused: nothing listens there',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name cannot be resolved now',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
};

/** Why `fetch` failed, as the end of a sentence. Contains no secret, because it does not repeat the URL. */
export function describeFetchError(error: unknown, url: URL, timeoutMs: number): string {
  if ((error as Error).name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`;
  const { cause } = error as Error;
  // For a name with several addresses, the combined error has no message of its own.
  const inner = (cause instanceof AggregateError ? cause.errors[0] : (cause ?? error)) as NodeJS.ErrnoException;
  // `fetch` refuses the ports of other protocols before it connects.
  if (inner.message === 'bad port')
    return `port ${url.port} is reserved for another protocol, and no client connects to it by HTTP: give the server another port`;
  return CAUSES[inner.code ?? ''] ?? escapeUnprintable(inner.message);
}
