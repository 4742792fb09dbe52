import { withoutDoubt } from '../check/doubt.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import { checkReferences, findReferences } from '../resolve/references.ts';
import { RULES } from './index.ts';

export function runRules(resource: Resource, inventory: Inventory): readonly Diagnostic[] {
  const found = references(resource, inventory);
  // Most rules find nothing in most resources, so no list is made of what they find.
  for (const rule of RULES) for (const one of rule(resource, inventory)) found.push(one);
  return found;
}

/**
 * Judges an object with errors by what these leave certain.
 *
 * @param resource of `resourceInDoubt`; other objects of the inventory may be in doubt as well
 */
export function runRulesInDoubt(resource: Resource, inventory: Inventory): readonly Diagnostic[] {
  return [references, ...RULES].flatMap(rule => withoutDoubt(() => rule(resource, inventory))?.result ?? []);
}

function references(resource: Resource, inventory: Inventory): Diagnostic[] {
  return checkReferences(resource, findReferences(resource.kind, resource.spec), inventory);
}
