import type { BackendPlan } from '#schemas';

/** A backend without the gateway's own settings for it: credentials, aggregation, operational settings. */
export type BackendAddress = Omit<BackendPlan, 'auth' | 'timeoutMs' | 'tools'>;

/** Other tools use a fragment to name a server behind a proxy; HTTP never sends fragments. */
export function withoutFragment(url: string): string {
  return url.split('#', 1)[0] ?? url;
}
