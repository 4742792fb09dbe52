/** The target of a call, get or read: an item with a known name, or any other item. */
import type { CedarAction } from '#shared/plan';
import type { Pattern } from './facts.ts';

export type ReachTarget = NamedTarget | AnyTarget;

export interface NamedTarget {
  readonly type: 'named';
  readonly action: CedarAction;
  /** The name that clients see, or the URI. */
  readonly name: string;
  /** The hints that the item states, by name. */
  readonly hints: Readonly<Record<string, boolean>>;
  /**
   * The tools that a workflow calls, if the lock lacks one of them: hints that the workflow does not state then depend on what backends
   * list. Null for every other item.
   */
  readonly derivedFrom: string | null;
}

/** A target with unknown name and hints: a tool that the lock lacks, or a URI that matches a template. */
export interface AnyTarget {
  readonly type: 'any';
  readonly action: CedarAction;
  /** Whether the item may have this name. */
  readonly mayBe: (name: string) => boolean;
  /** The prefix of the item's name. */
  readonly prefix: string;
}

/** Whether an unknown name may match a pattern. */
export function mayFit({ prefix }: AnyTarget, pattern: Pattern): boolean {
  const [first] = pattern;
  const start = first === undefined || first === 'Wildcard' ? '' : first.Literal;
  return start.startsWith(prefix) || prefix.startsWith(start);
}
