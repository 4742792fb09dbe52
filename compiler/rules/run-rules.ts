import { withoutDoubt } from '../check/doubt.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import { checkReferences, findReferences } from '../resolve/references.ts';
import { RULES } from './index.ts';

export function runRules(resource: Resource, inventory: Inventory): readonly Diagnostic[] {
  const found = references(resource, inventory);
  // Most rules find nothing in most resources, so no list of findings is allocated for them.
  for (const rule of RULES) for (const diagnostic of rule(resource, inventory)) found.push(diagnostic);
  return found;
}

const JUDGES = [references, ...RULES];

/** The number of rules about single objects. */
export const RULE_COUNT = JUDGES.length;

export interface PartialFindings {
  readonly found: readonly Diagnostic[];
  /** The number of rules that read doubtful parts of the object, so that their findings do not count. */
  readonly open: number;
}

/**
 * Runs the rules on the unaffected parts of an object with errors.
 * @param resource from `markResourceInDoubt`; other objects in the inventory may have errors as well
 */
export function runRulesInDoubt(resource: Resource, inventory: Inventory): PartialFindings {
  const answers = JUDGES.map(rule => withoutDoubt(() => rule(resource, inventory)));
  return {
    found: answers.flatMap(answer => answer?.result ?? []),
    open: answers.filter(answer => answer === undefined).length,
  };
}

function references(resource: Resource, inventory: Inventory): Diagnostic[] {
  return checkReferences(resource, findReferences(resource.kind, resource.spec), inventory);
}
