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

const JUDGES = [references, ...RULES];

/** How many rules judge an object by itself. */
export const RULE_COUNT = JUDGES.length;

export interface JudgedInPart {
  readonly found: readonly Diagnostic[];
  /** Rules that asked for what the errors leave open. */
  readonly open: number;
}

/**
 * Judges an object with errors by what these leave certain.
 *
 * @param resource of `resourceInDoubt`; other objects of the inventory may be in doubt as well
 */
export function runRulesInDoubt(resource: Resource, inventory: Inventory): JudgedInPart {
  const answers = JUDGES.map(rule => withoutDoubt(() => rule(resource, inventory)));
  return {
    found: answers.flatMap(answer => answer?.result ?? []),
    open: answers.filter(answer => answer === undefined).length,
  };
}

function references(resource: Resource, inventory: Inventory): Diagnostic[] {
  return checkReferences(resource, findReferences(resource.kind, resource.spec), inventory);
}
