/** The differences between two tool locks as data; text, Markdown and JSON are rendered from it. */
import type { ItemKind } from '../item-kinds.ts';

export interface CatalogDiff {
  /** The backends that differ, sorted by key. */
  readonly backends: readonly BackendDiff[];
}

export interface BackendDiff {
  readonly key: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** Changes of the backend itself: its address, its transport and how it describes itself. */
  readonly facts: readonly Change[];
  /** The items that differ, in the order of `ITEM_KINDS`, then sorted by name. */
  readonly items: readonly ItemDiff[];
}

export interface ItemDiff {
  readonly kind: ItemKind['noun'];
  /** The current name; for a removed item, its last name. */
  readonly name: string;
  readonly change: 'added' | 'removed' | 'renamed' | 'changed';
  /** The previous name of a renamed item. */
  readonly from?: string;
  /** What an added or renamed tool may do according to its annotations. */
  readonly effect?: Effect;
  readonly changes: readonly Change[];
}

/** What a tool may do according to its annotations. Without annotations MCP assumes the worst. */
export type Effect = 'read-only' | 'not destructive' | 'destructive' | 'destructive by default';

/** One difference within a definition. */
export interface Change {
  /** The part of the definition: `description`, `annotations.readOnlyHint`, `input repo.owner`. */
  readonly part: string;
  /** The change on one line; control and hidden characters are escaped. */
  readonly text: string;
  /** Whether the change allows the tool more, or hides something. */
  readonly alarm?: true;
}
