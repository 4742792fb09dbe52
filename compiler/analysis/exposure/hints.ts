/** The hints of tools and workflows, each with its source. */
import { type CatalogItem, getMember, TOOL_HINTS, type ToolOverridePlan, workflowHints } from '#schemas';
import type { CompositeModel } from '../gateway/composites.ts';
import type { Hint, Hints } from './exposure.ts';

type HintName = (typeof TOOL_HINTS)[number];

/** @param definition as clients see it, overrides applied */
export function toolHints(definition: CatalogItem, override: ToolOverridePlan | undefined): Hints {
  return hintsBy(name => {
    const value = getMember(getMember(definition, 'annotations'), name);
    if (typeof value !== 'boolean') return undefined;
    return { value, from: override?.annotations?.[name] === undefined ? 'backend' : 'override' };
  });
}

/** Hints from the spec; the remaining ones follow from the tools that the workflow calls. */
export function compositeHints(composite: CompositeModel): Hints {
  return workflowHints({ ...composite.tool.annotations }, listCalledTools(composite));
}

/** The tools that a workflow calls as clients see them; undefined for one that the lock does not know. */
export function listCalledTools({ calls }: CompositeModel): readonly (CatalogItem | undefined)[] {
  return calls.map(({ target }) => (target.type === 'tool' ? target.tool.definition : undefined));
}

function hintsBy(hintOf: (name: HintName) => Hint | undefined): Hints {
  return Object.fromEntries(
    TOOL_HINTS.flatMap(name => {
      const hint = hintOf(name);
      return hint === undefined ? [] : [[name, hint]];
    }),
  );
}
