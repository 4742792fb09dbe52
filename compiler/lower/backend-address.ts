import type { BackendPlan } from '#schemas';

/** A backend without what the gateway as a whole says about it: credentials, aggregation, operational settings. */
export type BackendAddress = Omit<BackendPlan, 'auth' | 'timeoutMs' | 'tools'>;

/** A fragment names a server behind a proxy in other tools; it is never sent over HTTP. */
export function withoutFragment(url: string): string {
  return url.split('#', 1)[0] ?? url;
}
