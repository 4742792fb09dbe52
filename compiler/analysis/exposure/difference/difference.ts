/**
 * The difference between two exposures of a gateway or registry server in terms of access: who may do more, who may do less, and what deserves a
 * look. Plain data, sorted, and without secrets, as exposures are.
 */

/** Bumped when a reader that knows the previous number would misread the document. */
export const DIFFERENCE_FORMAT_VERSION = 1;

/**
 * What a change does to access. `unclassified`: the meaning of the change is unknown, so it may open anything. `mixed`: more in one respect and
 * less in another, or a change that cannot be ranked, such as another URL or another definition of the same name.
 */
export type Effect = 'same' | 'narrower' | 'wider' | 'mixed' | 'unclassified';

/** `equivalent`: every caller may do what it could before, with the same meaning. */
export type Classification = 'equivalent' | Exclude<Effect, 'same'>;

export interface ExposureDifference {
  readonly formatVersion: typeof DIFFERENCE_FORMAT_VERSION;
  readonly kind: 'gateway' | 'registry';
  readonly namespace: string;
  readonly name: string;
  readonly change: 'added' | 'removed' | 'changed' | 'none';
  readonly classification: Classification;
  /** Whether both sides are fully known; otherwise there may be further differences. */
  readonly complete: boolean;
  /** Classes of callers that policies distinguish, with what each gains and loses; unaffected classes are left out. */
  readonly callers: readonly CallerChange[];
  /** What differs, sorted by type, then by name. */
  readonly changes: readonly ItemChange[];
}

/** A caller may fit several conditions and has the access of all of them: what one condition loses, another may still grant. */
export interface CallerChange {
  /** The condition in Cedar, or `everyone`. */
  readonly who: string;
  readonly gained: readonly ReachedItem[];
  readonly lost: readonly ReachedItem[];
  /** The parts of a `who` that has a condition on the item, for text output. Not in documents. */
  readonly reading?: CallerReading;
}

export interface CallerReading {
  /** The condition on the caller, or `everyone`. */
  readonly who: string;
  /** The condition on the tool, prompt or resource. */
  readonly which: string;
}

export interface ReachedItem {
  readonly type: 'tool' | 'workflow' | 'prompt' | 'resource';
  readonly name: string;
}

/** The types of items, in display order. */
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
  /** The current name; for a removed item, its last name. */
  readonly name: string;
  /** The name before a renaming. */
  readonly formerName?: string;
  readonly change: 'added' | 'removed' | 'renamed' | 'changed';
  readonly effect: Effect;
  /** Why the change deserves a look first. */
  readonly alarms: readonly Alarm[];
  readonly aspects: readonly Aspect[];
}

/**
 * `otherCallers`: callers are identified or admitted differently, and not only by stricter rules. `anonymous`: callers without a token
 * reach the item, and did not before. `destructive`: the tool may destroy something, by its hints or by MCP's defaults for a tool that
 * writes. `unannotated`: the tool has no annotations, so it may be destructive. `otherHost`: a credential goes to another host.
 * `otherEndpoint`: the input of a credential, such as callers' tokens, goes to another token endpoint. `otherCredential`: the backend gets
 * another kind of credential, or one made from another token. `otherRights`: the credential has another audience or more rights.
 * `otherSecret`: another secret or client. `sharedIdentity`: the backend acts with a secret of the gateway or of its own, and acted for the
 * calling person before. `callerLost`: the backend gets no credential of the calling person any more, and no other. `calledSafer`: the spec
 * calls a tool safer than its backend does. `allEntries`: more callers may see every entry of a registry server. `unasked`: fewer questions
 * or conditions stop a workflow step that is not known to be read-only. `otherCall`: a step calls another tool. `otherSignIn`: the gateway
 * or registry server names another host to clients that look for the authorization server. `unaudited`: fewer events are recorded in the
 * audit log. `newCredential`: a host that is new to the gateway or registry server gets a credential. `otherProgram`: another program, or the same
 * program with other settings, gets secrets.
 */
export type Alarm =
  | 'otherCallers'
  | 'anonymous'
  | 'destructive'
  | 'otherHost'
  | 'newCredential'
  | 'otherEndpoint'
  | 'otherCredential'
  | 'otherRights'
  | 'otherSecret'
  | 'sharedIdentity'
  | 'callerLost'
  | 'calledSafer'
  | 'allEntries'
  | 'unannotated'
  | 'unasked'
  | 'otherCall'
  | 'otherSignIn'
  | 'unaudited'
  | 'otherProgram';

/** One aspect that differs; null on the side that lacks it. */
export interface Aspect {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly effect: Effect;
  /** The added and removed items of a list in which each item counts by itself. */
  readonly items?: { readonly added: readonly string[]; readonly removed: readonly string[] };
  /** The alarms that this aspect explains. */
  readonly alarm?: Alarm;
}
