/** What was found out about the sign-in of an MCP server. */

/** In the order in which a client takes them. */
export const HOPS = ['challenge', 'resource metadata', 'issuer metadata', 'endpoints', 'registration', 'PKCE'] as const;

export type HopName = (typeof HOPS)[number];

export interface Problem {
  /** Stable, for programs: kebab-case. */
  readonly id: string;
  /** Whether clients cannot go on; else some of them cannot, or it is unsafe. */
  readonly isBreaking: boolean;
  readonly what: string;
  /** What to do about it. */
  readonly advice: string;
  /** Where it is written: an RFC with its section, or a page of the MCP specification. */
  readonly reference: string;
}

export interface Hop {
  readonly hop: HopName;
  readonly outcome: 'works' | 'warning' | 'broken' | 'skipped';
  /** What was found, in some words. */
  readonly seen: string;
  readonly problems: readonly Problem[];
}

export interface AuthReport {
  readonly formatVersion: 1;
  readonly url: string;
  /** Whether a client gets through all hops. */
  readonly works: boolean;
  /** Whether the server answered at all. */
  readonly isReached: boolean;
  readonly firstBroken: HopName | null;
  readonly hops: readonly Hop[];
}

/** One hop while it is examined: what goes on to the next one is `value`. */
export interface ExaminedHop<Value> {
  readonly hop: Hop;
  /** Undefined where nothing of the next hop can be known. */
  readonly value: Value | undefined;
}

export function summarizeHop(hop: HopName, seen: string, problems: readonly Problem[] = []): Hop {
  const isBroken = problems.some(({ isBreaking }) => isBreaking);
  const outcome = isBroken ? 'broken' : problems.length > 0 ? 'warning' : 'works';
  return { hop, outcome, seen, problems };
}

export function skipped(hop: HopName, seen: string): Hop {
  return { hop, outcome: 'skipped', seen, problems: [] };
}

export function buildReport(url: string, hops: readonly Hop[]): AuthReport {
  const broken = hops.find(({ outcome }) => outcome === 'broken');
  return {
    formatVersion: 1,
    url,
    works: broken === undefined,
    isReached: !hops.some(({ problems }) => problems.some(({ id }) => id === 'unreachable-server')),
    firstBroken: broken?.hop ?? null,
    hops,
  };
}
