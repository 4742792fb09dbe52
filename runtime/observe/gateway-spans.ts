/** Attributes of spans that come from the gateway's bundle, not from the request. */
import type { Gateway } from '../gateway/gateway.ts';

interface SpanAttributes {
  readonly [name: string]: string | number | boolean;
}

/** The attributes of a request to a backend. */
export function buildBackendAttributes({ bundle, connections }: Gateway, name: string): SpanAttributes {
  const plan = bundle.backends.find(backend => backend.name === name);
  const url = URL.parse(plan?.url ?? '');
  if (plan === undefined || url === null) return {};
  const { mcpRevision } = connections.get(name)?.monitor.health ?? { mcpRevision: null };
  return {
    'server.address': url.hostname,
    'server.port': Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
    // Without its query, which may contain a secret.
    'target.base_url': `${url.origin}${url.pathname}`,
    'target.transport_type': plan.transport,
    'auth.authenticated': plan.auth.type !== 'unauthenticated',
    ...(mcpRevision === null ? {} : { 'mcp.protocol.revision': mcpRevision }),
  };
}

/** The attributes about rate limits, for the span of a call that no limit has rejected. */
export function limitAttributes({ bundle, limits }: Gateway): SpanAttributes {
  if (bundle.rateLimiting === undefined) return {};
  return {
    'rate_limit.decision': 'allowed',
    'rate_limit.rejected_by': 'none',
    'rate_limit.fail_open': limits.counts.isFailingOpen,
  };
}
