import type { OtlpPlan } from '#schemas';

/** The default address of collectors by the standard. */
const DEFAULT_ENDPOINT = 'http://localhost:4318';

/** The registered port for OTLP over gRPC; every other port uses HTTP. */
const GRPC_PORT = '4317';

/**
 * A collector's address: a URL, or `host:port`. The URL's scheme decides about TLS, and `insecure` turns it off.
 *
 * @param endpoint as written; another check reports its mistakes
 */
export function lowerOtlpEndpoint(
  endpoint: string | undefined,
  isInsecure: boolean,
): Pick<OtlpPlan, 'endpoint' | 'protocol'> {
  const text = endpoint === undefined || endpoint === '' ? DEFAULT_ENDPOINT : endpoint;
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`) ?? new URL(DEFAULT_ENDPOINT);
  if (isInsecure) url.protocol = 'http:';
  // The default port is written explicitly, because the scheme may have changed.
  const [, port = ''] = /:(\d+)(?:[/?#]|$)/.exec(text.replace(/^https?:\/\//i, '')) ?? [];
  if (port !== '') url.port = port;
  const isGrpc = port === GRPC_PORT;
  return {
    protocol: isGrpc ? 'grpc' : 'http/protobuf',
    endpoint: isGrpc ? url.origin : `${url.origin}${url.pathname.replace(/\/+$/, '')}`,
  };
}
