/** What is called, got or read: something of which the name is known, or anything else. */
import type { CedarAction } from '#schemas';
import type { Pattern } from './facts.ts';

export type Target = NamedTarget | AnyTarget;

export interface NamedTarget {
  readonly type: 'named';
  readonly action: CedarAction;
  /** The name that clients see, or the URI. */
  readonly name: string;
  /** Stated ones by name. */
  readonly hints: Readonly<Record<string, boolean>>;
  /**
   * What a workflow calls, when it calls a tool that the lock lacks: hints that are not stated then follow from what backends list. Null
   * for everything else.
   */
  readonly derivedFrom: string | null;
}

/** A target whose name and hints are not known: what the tool lock lacks, and URIs under templates. */
export interface AnyTarget {
  readonly type: 'any';
  readonly action: CedarAction;
  /** Whether it may have a name. */
  readonly mayBe: (name: string) => boolean;
  /** What its name begins with. */
  readonly prefix: string;
}

/** Whether a name that is not known may fit a pattern. */
export function mayFit({ prefix }: AnyTarget, pattern: Pattern): boolean {
  const [first] = pattern;
  const start = first === undefined || first === 'Wildcard' ? '' : first.Literal;
  return start.startsWith(prefix) || prefix.startsWith(start);
}
