import type { OtlpPlan } from '#schemas';

/** The default address of collectors by the standard. */
const DEFAULT_ENDPOINT = 'http://localhost:4318';

/** The port that is registered for OTLP over gRPC; all others speak it over HTTP. */
const GRPC_PORT = '4317';

/**
 * A collector by what is written: a URL, or `host:port`. A URL says by itself whether TLS is spoken, and `insecure` turns it off.
 *
 * @param written what is wrong with it is a finding of its own
 */
export function otlpEndpoint(
  written: string | undefined,
  isInsecure: boolean,
): Pick<OtlpPlan, 'endpoint' | 'protocol'> {
  const text = written === undefined || written === '' ? DEFAULT_ENDPOINT : written;
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`) ?? new URL(DEFAULT_ENDPOINT);
  if (isInsecure) url.protocol = 'http:';
  // A port that is the default of its scheme is written all the same: another scheme may have taken its place.
  const [, port = ''] = /:(\d+)(?:[/?#]|$)/.exec(text.replace(/^https?:\/\//i, '')) ?? [];
  if (port !== '') url.port = port;
  const isGrpc = port === GRPC_PORT;
  return {
    protocol: isGrpc ? 'grpc' : 'http/protobuf',
    endpoint: isGrpc ? url.origin : `${url.origin}${url.pathname.replace(/\/+$/, '')}`,
  };
}
