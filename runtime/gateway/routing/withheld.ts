import type { ToolFault, UnfitItem, WithheldItem } from '#schemas';
import type { ItemKind } from '../offers/offered-items.ts';
import { truncate } from '../offers/truncate.ts';

/** Items of one backend that are named; the rest is counted. */
const MAX_NAMED = 100;

/** Items of all backends that are named: each has the same share, of one item at least. `/status` is read from elsewhere, whole. */
const MAX_NAMED_OF_ALL = 500;

/** Why a workflow is not served: a tool that a step calls is not there, or is less safe than the workflow claims to be. */
export type WorkflowViolation = 'unknown_tool' | 'unsafe_claim';

/** Something a backend offers that clients do not get, and why; shown in `/status`. */
export interface Withheld {
  readonly kind: ItemKind;
  /** Empty for a workflow, which is the gateway's own. */
  readonly backend: string;
  /** The name it would have had. */
  readonly name: string;
  /** The backend's own name or URI; for what has none its place in the list. */
  readonly originalName: string;
  readonly reason:
    | WithheldItem['reason']
    | UnfitItem['reason']
    | ToolFault['reason']
    | 'shadowed'
    | 'too_many'
    | WorkflowViolation;
  /** What exactly is wrong, for people. */
  readonly detail?: string | undefined;
}

/** How many items of a backend are withheld and not named. */
export interface MoreWithheld {
  readonly backend: string;
  readonly count: number;
}

/** Collects what is withheld: backends decide how much that is, so it is counted whole and named in part. */
export class WithheldItems {
  readonly #items: Withheld[] = [];
  readonly #counts = new Map<string, number>();

  add(item: Withheld): void {
    const count = (this.#counts.get(item.backend) ?? 0) + 1;
    this.#counts.set(item.backend, count);
    if (count > MAX_NAMED) return;
    const { name, originalName, detail } = item;
    const shown = { ...item, name: truncate(name), originalName: truncate(originalName) };
    this.#items.push(detail === undefined ? shown : { ...shown, detail: truncate(detail) });
  }

  /** Those that are named, in the order in which they came, and how many of each backend are not. */
  result(): { readonly withheld: readonly Withheld[]; readonly moreWithheld: readonly MoreWithheld[] } {
    const share = this.#share;
    const named = new Map<string, number>();
    const withheld = this.#items.filter(({ backend }) => {
      const count = (named.get(backend) ?? 0) + 1;
      named.set(backend, count);
      return count <= share;
    });
    const moreWithheld = [...this.#counts]
      .filter(([, count]) => count > share)
      .map(([backend, count]) => ({ backend, count: count - share }))
      .sort((a, b) => (a.backend < b.backend ? -1 : 1));
    return { withheld, moreWithheld };
  }

  get #share(): number {
    if (this.#items.length <= MAX_NAMED_OF_ALL) return MAX_NAMED;
    return Math.min(MAX_NAMED, Math.max(1, Math.floor(MAX_NAMED_OF_ALL / this.#counts.size)));
  }
}
