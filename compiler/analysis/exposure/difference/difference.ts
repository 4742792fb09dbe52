/**
 * What is otherwise between two exposures of a gateway or registry server, in the words of access: who may do more, who may do
 * less, and what deserves a look. Plain data, sorted, and without secrets as exposures are.
 */

/** Bumped when a reader that knows the previous number would misread the document. */
export const DIFFERENCE_FORMAT_VERSION = 1;

/**
 * What a change does to access. `unclassified`: it is not known what it means, so it may open anything. `mixed`: more in one respect and less in another, or other in a way that cannot be ranked, such as
 * another URL, or another definition under the old name.
 */
export type Effect = 'same' | 'narrower' | 'wider' | 'mixed' | 'unclassified';

/** `equivalent`: every caller may do what it could before, and it means the same. */
export type Classification = 'equivalent' | Exclude<Effect, 'same'>;

export interface ExposureDifference {
  readonly formatVersion: typeof DIFFERENCE_FORMAT_VERSION;
  readonly kind: 'gateway' | 'registry';
  readonly namespace: string;
  readonly name: string;
  readonly change: 'added' | 'removed' | 'changed' | 'none';
  readonly classification: Classification;
  /** Whether both sides are known as a whole: otherwise there may be differences that do not show here. */
  readonly complete: boolean;
  /** Callers that the policies tell apart, each with what it gains and loses; those with neither are left out. */
  readonly callers: readonly CallerChange[];
  /** By type, then by name. */
  readonly changes: readonly ItemChange[];
}

/** A caller for whom several conditions hold has what all of them open: what one loses, another may still give. */
export interface CallerChange {
  /** The condition in Cedar, or `everyone`. */
  readonly who: string;
  readonly gained: readonly ReachedItem[];
  readonly lost: readonly ReachedItem[];
  /** Where `who` asks something of what is called: its parts, for people. Not in documents. */
  readonly reading?: CallerReading;
}

export interface CallerReading {
  /** What is asked of the caller, or `everyone`. */
  readonly who: string;
  /** What is asked of the tool, prompt or resource. */
  readonly which: string;
}

export interface ReachedItem {
  readonly type: 'tool' | 'workflow' | 'prompt' | 'resource';
  readonly name: string;
}

/** In the order in which they are shown. */
export const ITEM_TYPES = [
  'gateway',
  'registry server',
  'provider',
  'tool',
  'workflow',
  'prompt',
  'resource',
  'resource template',
  'backend',
  'route',
  'registry',
  'source',
  'credential',
] as const;

export type ItemType = (typeof ITEM_TYPES)[number];

export interface ItemChange {
  readonly type: ItemType;
  /** As it is called now; of what is gone, as it was called. */
  readonly name: string;
  /** The name before a renaming. */
  readonly formerName?: string;
  readonly change: 'added' | 'removed' | 'renamed' | 'changed';
  readonly effect: Effect;
  /** Why it deserves a look before everything else. */
  readonly alarms: readonly Alarm[];
  readonly aspects: readonly Aspect[];
}

/**
 * `anonymous`: callers without a token reach it, and did not before. `destructive`: it may destroy something, by its hints or by
 * what MCP takes for granted of a tool that writes. `unannotated`: it has no annotations, so it may. `otherHost`: a credential goes
 * to another host. `sharedIdentity`: the backend acts with a secret of the gateway or of its own, where it acted for the person who
 * calls.
 */
export type Alarm = 'anonymous' | 'destructive' | 'otherHost' | 'sharedIdentity' | 'unannotated';

/** One respect in which something is otherwise; null on the side where there is nothing. */
export interface Aspect {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly effect: Effect;
}
