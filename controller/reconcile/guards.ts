/** Delays deletions until a person approves them. */
import type { GatewaySourceSpec } from '#schemas';
import type { CompileOutcome } from '../compile/index.ts';
import type { InventoryEntry, Reason, UnitState } from '../status/index.ts';
import type { Checkout } from './context.ts';

export interface GuardedDeletions {
  /** Allowed deletions, in the order of deleting. */
  readonly allowed: readonly InventoryEntry[];
  /** Deletions that wait for approval. */
  readonly held: readonly InventoryEntry[];
  /** Whether these deletions must also wait in later revisions, which by themselves delete fewer objects. */
  readonly isRemembered?: boolean;
  /** Why some deletions wait, and what to do; undefined when nothing has to be done. */
  readonly cause?: { readonly reason: Reason; readonly message: string };
}

export interface Deletions {
  readonly entries: readonly InventoryEntry[];
  readonly unitsBefore: readonly UnitState[];
  readonly outcome: Pick<CompileOutcome, 'units' | 'objects'>;
  readonly spec: Pick<GatewaySourceSpec, 'prune' | 'deletion'>;
  readonly tree: Pick<Checkout, 'revision' | 'commit'>;
  /** How an operator approves the deletions; completes a sentence. */
  readonly approvalInstructions: string;
  /** Value of the annotation `lintel.dev/allow-deletions`. */
  readonly approval: string | undefined;
}

/**
 * How the message of a gateway begins whose deletion waits because there are too many deletions. The rest of the message is for people, and changes
 * with versions.
 */
const BLOCKED = 'PruneBlocked: ';

export const DELETION_BLOCKED: string = `${BLOCKED}its deletion waits for approval`;

/** Minimum length of an abbreviated commit id, as in most tools. */
const SHORT_ID_LENGTH = 7;

export function guardDeletions(deletions: Deletions): GuardedDeletions {
  const { entries, spec, tree, approval, approvalInstructions, outcome } = deletions;
  const { prune = true, deletion = {} } = spec;
  if (entries.length === 0) return { allowed: [], held: [] };
  if (!prune) return { allowed: [], held: entries };
  if (isApproved(approval, tree)) return { allowed: entries, held: [] };
  const whole = findExcessDeletions(deletions);
  if (whole !== undefined) {
    const isRemembered = outcome.units.length > 0 || outcome.objects.length > 0;
    return {
      allowed: [],
      held: entries,
      isRemembered,
      cause: { reason: 'PruneBlocked', message: `${whole}; ${approvalInstructions}` },
    };
  }
  const isProtected = ({ id }: InventoryEntry) => deletion.protectedKinds?.includes(parseKind(id)) === true;
  const protectedEntries = entries.filter(isProtected);
  if (protectedEntries.length === 0) return { allowed: entries, held: [] };
  const message = `the deletion of ${protectedEntries.map(({ id }) => formatTitle(id)).join(', ')} needs approval, because of a protected kind; ${approvalInstructions}`;
  return {
    allowed: entries.filter(entry => !isProtected(entry)),
    held: protectedEntries,
    cause: { reason: 'ApprovalRequired', message },
  };
}

/** Whether the annotation approves the revision: it names the whole revision, or its commit id, which may be abbreviated. */
export function isApproved(approval: string | undefined, { revision, commit }: Deletions['tree']): boolean {
  if (approval === undefined) return false;
  return approval === revision || (approval.length >= SHORT_ID_LENGTH && commit.startsWith(approval));
}

function findExcessDeletions({ entries, unitsBefore, outcome, spec }: Deletions): string | undefined {
  const { allowEmpty = false, maxPercent = 50 } = spec.deletion ?? {};
  if (outcome.units.length === 0 && outcome.objects.length === 0) {
    return allowEmpty ? undefined : `the revision has no objects, and ${entries.length} objects would be deleted`;
  }
  const now = new Set(outcome.units.map(formatUnitKey));
  const gone = unitsBefore.filter(unit => !now.has(formatUnitKey(unit)));
  if (gone.length * 100 > maxPercent * unitsBefore.length) {
    return `the revision deletes ${gone.length} of ${unitsBefore.length} gateways and registry servers (${formatNames(gone)}), more than ${maxPercent} %`;
  }
  const blocked = gone.filter(({ message }) => message?.startsWith(BLOCKED) === true);
  // Deletions that an earlier revision was refused stay refused: a later revision deletes fewer objects by itself, and would otherwise pass the
  // limit.
  return blocked.length === 0
    ? undefined
    : `an earlier revision deleted too many objects, and the newest revision still lacks ${formatNames(blocked)}`;
}

/** Maximum number of objects that a message names, as many as a person reads. */
const MOST_NAMED = 5;

function formatNames(units: readonly UnitState[]): string {
  const names = units.slice(0, MOST_NAMED).map(({ namespace, name }) => `${namespace}/${name}`);
  const more = units.length - names.length;
  return `${names.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}

/** A key for a gateway or registry server. */
export function formatUnitKey({ kind, namespace, name }: Pick<UnitState, 'kind' | 'namespace' | 'name'>): string {
  return `${kind}/${namespace}/${name}`;
}

function parseKind(id: string): string {
  return id.slice(id.lastIndexOf('_') + 1);
}

/** `Kind namespace/name`; names contain no underscore. */
function formatTitle(id: string): string {
  const [namespace = '', name = ''] = id.split('_');
  return `${parseKind(id)} ${namespace}/${name}`;
}
