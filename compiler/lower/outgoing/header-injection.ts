import type { BearerTokenConfig, HeaderInjectionConfig, HeaderInjectionPlan, HeaderInjectionStrategy } from '#schemas';
import type { Tracked } from '../../resolve/tracked.ts';
import { lowerInlineSecret, lowerReferredSecret } from './secrets.ts';

export function lowerInlineHeader(block: Tracked<HeaderInjectionStrategy>): HeaderInjectionPlan | undefined {
  const header = block.get('headerName');
  const value = lowerInlineSecret(block, 'headerValueEnv', 'headerValue');
  return value === undefined || value === 'literal' ? undefined : { type: 'header_injection', header, value };
}

export function lowerReferredHeader(block: Tracked<HeaderInjectionConfig>, config: string): HeaderInjectionPlan {
  const value = lowerReferredSecret(block.get('valueSecretRef'), 'HEADER_INJECTION_VALUE', config);
  return { type: 'header_injection', header: block.get('headerName'), value };
}

/** A fixed bearer token (RFC 6750), which only the gateway in front of a single server sends. */
export function lowerReferredToken(block: Tracked<BearerTokenConfig>, config: string): HeaderInjectionPlan {
  const value = lowerReferredSecret(block.get('tokenSecretRef'), 'BEARER_TOKEN', config);
  return { type: 'header_injection', header: 'authorization', scheme: 'Bearer', value };
}
