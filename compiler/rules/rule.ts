import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';

/** Judges one object beyond its schema. What it refers to, and its siblings, are in the inventory. */
export type Rule = (resource: Resource, inventory: Inventory) => Diagnostic[];
