/** What is different between two tool locks, as data: text, Markdown and JSON are views of it. */
import type { ItemKind } from '../item-kinds.ts';

export interface CatalogDiff {
  /** Sorted by key; backends without a difference are left out. */
  readonly backends: readonly BackendDiff[];
}

export interface BackendDiff {
  readonly key: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** Where the backend is, how it is asked, and how it describes itself. */
  readonly facts: readonly Change[];
  /** In the order of `ITEM_KINDS`, then sorted by name. */
  readonly items: readonly ItemDiff[];
}

export interface ItemDiff {
  readonly kind: ItemKind['noun'];
  /** The name now; of one that was removed, the name it had. */
  readonly name: string;
  readonly change: 'added' | 'removed' | 'renamed' | 'changed';
  /** The former name of one that was renamed. */
  readonly from?: string;
  /** What the annotations of a tool that was added or renamed say about its effect. */
  readonly effect?: Effect;
  readonly changes: readonly Change[];
}

/** What a tool may do to the world by its annotations; without them the worst is assumed, as MCP says. */
export type Effect = 'read-only' | 'not destructive' | 'destructive' | 'destructive by default';

/** One difference inside of a definition. */
export interface Change {
  /** Where: `description`, `annotations.readOnlyHint`, `input repo.owner`. */
  readonly part: string;
  /** What, in a line; control and hidden characters are escaped. */
  readonly text: string;
  /** Does the difference widen what a tool may do, or hide something? */
  readonly alarm?: true;
}
