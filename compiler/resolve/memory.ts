import { type DocumentMemory, NO_DOCUMENT_MEMORY } from '../source/memory.ts';
import type { Inventory } from './inventory.ts';

/** What one compilation may take over from the one before. Without changes between the two it is all that there was. */
export interface Memory extends DocumentMemory {
  /** A result that depends on its subject and on the answers of the inventory. */
  among<T>(step: string, subject: object, inventory: Inventory, compute: (inventory: Inventory) => T): T;
}

/** Takes nothing over. */
export const NO_MEMORY: Memory = {
  ...NO_DOCUMENT_MEMORY,
  among: (_step, _subject, inventory, compute) => compute(inventory),
};
