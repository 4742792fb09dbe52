/** The hints of tools and workflows, each with whose claim it is. */
import { type CatalogItem, TOOL_HINTS, type ToolOverridePlan } from '#schemas';
import type { CompositeModel } from '../gateway/composites.ts';
import { memberOf } from '../source/is-mapping.ts';
import type { Hint, Hints } from './exposure.ts';

type HintName = (typeof TOOL_HINTS)[number];

/** @param definition as clients see it, with what the override changed */
export function toolHints(definition: CatalogItem, override: ToolOverridePlan | undefined): Hints {
  return hintsBy(name => {
    const value = memberOf(memberOf(definition, 'annotations'), name);
    if (typeof value !== 'boolean') return undefined;
    return { value, from: override?.annotations?.[name] === undefined ? 'backend' : 'override' };
  });
}

/** What the spec says, and for the rest what follows from the tools that are called. */
export function compositeHints({ tool, calls }: CompositeModel): Hints {
  const definitions = calls.map(({ target }) => (target.type === 'tool' ? target.tool.definition : undefined));
  return hintsBy(name => {
    const written = tool.annotations?.[name];
    if (written !== undefined) return { value: written, from: 'spec' };
    const value = derived(name, definitions);
    return value === undefined ? undefined : { value, from: 'steps' };
  });
}

/** The definition's own claim; undefined when it makes none. */
export function claimOf(definition: CatalogItem | undefined, name: HintName): boolean | undefined {
  const value = memberOf(memberOf(definition, 'annotations'), name);
  return typeof value === 'boolean' ? value : undefined;
}

/** One tool that writes, destroys or reaches out makes the workflow do so; one of which nothing is known leaves it open. */
function derived(name: HintName, definitions: readonly (CatalogItem | undefined)[]): boolean | undefined {
  // Without a call nothing is read and nothing destroyed; and how a repetition ends does not follow from the parts.
  if (definitions.length === 0 || name === 'idempotentHint') return undefined;
  const claims = definitions.map(definition => {
    const readOnly = claimOf(definition, 'readOnlyHint');
    // Whether a tool that changes nothing destroys is no question.
    return name === 'destructiveHint' && readOnly === true ? false : claimOf(definition, name);
  });
  const worst = name !== 'readOnlyHint';
  if (claims.includes(worst)) return worst;
  return claims.includes(undefined) ? undefined : !worst;
}

function hintsBy(hintOf: (name: HintName) => Hint | undefined): Hints {
  return Object.fromEntries(
    TOOL_HINTS.flatMap(name => {
      const hint = hintOf(name);
      return hint === undefined ? [] : [[name, hint]];
    }),
  );
}
