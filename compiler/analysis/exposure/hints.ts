/** The hints of tools and workflows, each with its source. */
import { type CatalogItem, getMember, type ToolOverridePlan } from '#schemas';
import { deriveWorkflowHints, readHint, SAFETY_CLAIMS, TOOL_HINTS } from '#shared/plan';
import type { ToolModel } from '../gateway/model.ts';
import { listSaferClaims } from '../gateway/safer-claims.ts';
import type { Hint, Hints } from './exposure.ts';

type HintName = (typeof TOOL_HINTS)[number];

export function readToolHints(
  { definition, offered }: Pick<ToolModel, 'definition' | 'offered'>,
  override: ToolOverridePlan | undefined,
): Hints {
  return collectHints(name => {
    const value = getMember(getMember(definition, 'annotations'), name);
    if (typeof value !== 'boolean') return undefined;
    if (override?.annotations?.[name] === undefined) return { value, from: 'backend' };
    const backend = readHint(offered, name);
    return { value, from: 'override', ...(backend === undefined ? {} : { backend }) };
  });
}

/** What hints of a workflow follow from. */
interface HintedComposite {
  readonly tool: { readonly annotations?: object | undefined };
  readonly calls: readonly {
    readonly target:
      | { readonly type: 'tool'; readonly tool: Pick<ToolModel, 'definition' | 'offered'> }
      | { readonly type: 'unknown' };
  }[];
}

/** The hints that the spec states; all others follow from the tools that the workflow calls. */
export function readCompositeHints(composite: HintedComposite): Hints {
  const hints: Hints = deriveWorkflowHints({ ...composite.tool.annotations }, listCalledTools(composite));
  const called = composite.calls.map(({ target }) => (target.type === 'tool' ? toBackendItem(target.tool) : undefined));
  const own: Hints = deriveWorkflowHints({}, called);
  return collectHints(name => {
    const shown = hints[name];
    const safe = SAFETY_CLAIMS.find(({ hint }) => hint === name)?.safe;
    const isDenied = safe !== undefined && shown?.value === safe && own[name]?.value === !safe;
    return shown !== undefined && isDenied ? { ...shown, backend: !safe } : shown;
  });
}

/** A tool without those hints of an override that contradict its backend. */
function toBackendItem({ definition, offered }: Pick<ToolModel, 'definition' | 'offered'>): CatalogItem {
  const safer: ReadonlySet<string> = new Set(
    listSaferClaims(
      hint => readHint(definition, hint),
      hint => readHint(offered, hint),
    ),
  );
  if (safer.size === 0) return definition;
  const denied = SAFETY_CLAIMS.filter(({ hint }) => safer.has(hint)).map(({ hint, safe }) => [hint, !safe]);
  return { ...definition, annotations: { ...(definition.annotations as object), ...Object.fromEntries(denied) } };
}

/** The called tools as clients see them; undefined for a tool that the lock does not have. */
export function listCalledTools({ calls }: Pick<HintedComposite, 'calls'>): readonly (CatalogItem | undefined)[] {
  return calls.map(({ target }) => (target.type === 'tool' ? target.tool.definition : undefined));
}

function collectHints(hintOf: (name: HintName) => Hint | undefined): Hints {
  return Object.fromEntries(
    TOOL_HINTS.flatMap(name => {
      const hint = hintOf(name);
      return hint === undefined ? [] : [[name, hint]];
    }),
  );
}
