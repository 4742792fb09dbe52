import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';

/** A rule about one object beyond its schema. The inventory has referenced objects and siblings. */
export type Rule = (resource: Resource, inventory: Inventory) => Diagnostic[];
