import type { BackendPlan } from '#schemas';

/** A backend without what aggregation and operational settings say about it. */
export type BackendAddress = Omit<BackendPlan, 'timeoutMs' | 'tools'>;

/** A fragment names a server behind a proxy in other tools; it is never sent over HTTP. */
export function withoutFragment(url: string): string {
  return url.split('#', 1)[0] ?? url;
}
