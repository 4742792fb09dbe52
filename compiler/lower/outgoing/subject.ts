import type { SubjectPlan } from '#schemas';

/** The upstream that is named; else the first of the gateway's authorization server; else the caller's own token. */
export function chooseSubject(named: string | undefined, upstreams: readonly string[]): SubjectPlan {
  const provider = named === undefined || named === '' ? upstreams[0] : named;
  return provider === undefined ? { type: 'caller' } : { type: 'upstream', provider };
}
