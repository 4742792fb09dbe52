/** The hints of tools and workflows, each with whose claim it is. */
import { type CatalogItem, getMember, TOOL_HINTS, type ToolOverridePlan, workflowHints } from '#schemas';
import type { CompositeModel } from '../gateway/composites.ts';
import type { Hint, Hints } from './exposure.ts';

type HintName = (typeof TOOL_HINTS)[number];

/** @param definition as clients see it, with what the override changed */
export function toolHints(definition: CatalogItem, override: ToolOverridePlan | undefined): Hints {
  return hintsBy(name => {
    const value = getMember(getMember(definition, 'annotations'), name);
    if (typeof value !== 'boolean') return undefined;
    return { value, from: override?.annotations?.[name] === undefined ? 'backend' : 'override' };
  });
}

/** What the spec says, and for the rest what follows from the tools that are called. */
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
