/** Headers to backends besides the credential: constant, or forwarded from the client. */
import {
  compareText,
  type ForwardedHeaderPlan,
  type GatewayConfig,
  type HeaderForward,
  type VirtualMCPServerSpec,
} from '#schemas';
import type { Tracked } from '../resolve/tracked.ts';
import { lowerReferredSecret } from './outgoing/secrets.ts';

/** The headers of every request to one entry, sorted by name. */
export function lowerStaticHeaders(
  forward: Tracked<HeaderForward> | undefined,
  entry: string,
): readonly ForwardedHeaderPlan[] {
  if (forward === undefined) return [];
  const plain = Object.entries(forward.get('addPlaintextHeaders') ?? {}).map(
    ([name, text]): ForwardedHeaderPlan => ({ name, value: { type: 'text', text } }),
  );
  const secret = (forward.get('addHeadersFromSecret') ?? []).map(
    ({ headerName: name, valueSecretRef }): ForwardedHeaderPlan => ({
      name,
      value: { type: 'secret', from: lowerReferredSecret(valueSecretRef, 'SECRET_HEADER_FORWARD', name, entry) },
    }),
  );
  return [...plain, ...secret].sort((a, b) => compareText(a.name, b.name));
}

/** Lower-case names, unique and sorted. */
export function lowerPassthroughHeaders(
  spec: Tracked<VirtualMCPServerSpec>,
  config: Tracked<GatewayConfig> | undefined,
): readonly string[] {
  const chosen = spec.get('passthroughHeaders');
  if (chosen !== undefined) config?.ignore('passthroughHeaders', 'spec.passthroughHeaders takes precedence');
  const names = chosen ?? config?.get('passthroughHeaders') ?? [];
  return [...new Set(names.map(name => name.toLowerCase()))].sort(compareText);
}
