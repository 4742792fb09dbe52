/** The results about the sign-in of an MCP server. */

/** In the order in which a client goes through them. */
export const HOPS = ['challenge', 'resource metadata', 'issuer metadata', 'endpoints', 'registration', 'PKCE'] as const;

export type HopName = (typeof HOPS)[number];

export interface AuthProblem {
  /** A stable identifier for programs, in kebab-case. */
  readonly id: string;
  /** Whether all clients fail; otherwise only some clients fail, or the result is unsafe. */
  readonly isBreaking: boolean;
  readonly what: string;
  /** How to correct the problem. */
  readonly advice: string;
  /** The source of the requirement: an RFC with its section, or a page of the MCP specification. */
  readonly reference: string;
}

export interface Hop {
  readonly hop: HopName;
  readonly outcome: 'works' | 'warning' | 'broken' | 'skipped';
  /** A short description of the result. */
  readonly seen: string;
  readonly problems: readonly AuthProblem[];
}

export interface AuthReport {
  readonly formatVersion: 1;
  readonly url: string;
  /** Whether a client succeeds at all hops. */
  readonly works: boolean;
  /** Whether the server answered at all. */
  readonly isReached: boolean;
  readonly firstBroken: HopName | null;
  readonly hops: readonly Hop[];
}

/** An examined hop; `value` is the input of the next hop. */
export interface ExaminedHop<Value> {
  readonly hop: Hop;
  /** Undefined when the next hop cannot be examined. */
  readonly value: Value | undefined;
}

export function summarizeHop(hop: HopName, seen: string, problems: readonly AuthProblem[] = []): Hop {
  const isBroken = problems.some(({ isBreaking }) => isBreaking);
  const outcome = isBroken ? 'broken' : problems.length > 0 ? 'warning' : 'works';
  return { hop, outcome, seen, problems };
}

export function skipHop(hop: HopName, seen: string): Hop {
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
