import type { ToolFault, UnfitItem, WithheldItem } from '#shared/plan';
import type { ItemKind } from '../offers/offered-items.ts';
import { truncate } from '../offers/truncate.ts';

/** Maximum number of a backend's items that are named; further ones are only counted. */
const MAX_NAMED = 100;

/** Maximum number of named items of all backends together, in equal shares of at least one item: clients read `/status` as a whole. */
const MAX_NAMED_OF_ALL = 500;

/** Why a workflow is not served: a tool of one of its steps is missing, or is less safe than the workflow claims to be. */
export type WorkflowViolation = 'unknown_tool' | 'unsafe_claim';

/** An item of a backend that clients do not get, and why; shown in `/status`. */
export interface Withheld {
  readonly kind: ItemKind;
  /** The name of the backend; empty for a workflow, which belongs to the gateway. */
  readonly backend: string;
  /** The name that the item would have for clients. */
  readonly name: string;
  /** The backend's own name or URI of the item; the position in the list for an item without one. */
  readonly originalName: string;
  readonly reason:
    | WithheldItem['reason']
    | UnfitItem['reason']
    | ToolFault['reason']
    | 'shadowed'
    | 'not_locked'
    | 'too_many'
    | WorkflowViolation;
  /** The precise problem, for people. */
  readonly detail?: string | undefined;
}

/** The number of a backend's withheld items that are not named. */
export interface MoreWithheld {
  readonly backend: string;
  readonly count: number;
}

/** Collects withheld items: backends decide how many there are, so it counts all and names some. */
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

  /** The named items, in the order of their arrival, and the number of further items of each backend. */
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
