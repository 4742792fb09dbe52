import type { SubjectPlan } from '#schemas';

/** The named upstream, otherwise the first upstream of the gateway's authorization server, otherwise the caller's own token. */
export function chooseSubject(named: string | undefined, upstreams: readonly string[]): SubjectPlan {
  const provider = named === undefined || named === '' ? upstreams[0] : named;
  return provider === undefined ? { type: 'caller' } : { type: 'upstream', provider };
}
