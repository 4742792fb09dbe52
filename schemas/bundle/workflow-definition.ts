/** How a workflow looks to clients: as a tool with the hints that its steps allow. Both rooms ask this, of the lock and of live backends. */
import { TOOL_HINTS } from './cedar-request.ts';
import type { CatalogItem } from './presented-item.ts';
import type { WorkflowTool } from './workflow.ts';

type HintName = (typeof TOOL_HINTS)[number];

export type WorkflowHints = {
  readonly [hint in HintName]?: { readonly value: boolean; readonly from: 'spec' | 'steps' };
};

/** The member of `structuredContent` that says how far a workflow came that failed. */
export const WORKFLOW_FAILURE = 'workflowFailure';

/**
 * What the spec says, and for the rest what follows from the tools that are called.
 *
 * @param called the tools that steps call as clients see them; undefined for one that is not known
 */
export function workflowHints(
  annotations: WorkflowTool['annotations'],
  called: readonly (CatalogItem | undefined)[],
): WorkflowHints {
  const hints: { [hint in HintName]?: { readonly value: boolean; readonly from: 'spec' | 'steps' } } = {};
  for (const name of TOOL_HINTS) {
    const written = annotations[name];
    const value = typeof written === 'boolean' ? written : derived(name, called);
    if (value !== undefined) hints[name] = { value, from: typeof written === 'boolean' ? 'spec' : 'steps' };
  }
  return hints;
}

/** The definition's own claim; undefined when it makes none. */
export function readHint(definition: CatalogItem | undefined, name: HintName): boolean | undefined {
  const annotations = definition?.annotations;
  if (typeof annotations !== 'object' || annotations === null) return undefined;
  const value = (annotations as CatalogItem)[name];
  return typeof value === 'boolean' ? value : undefined;
}

/** One tool that writes, destroys or reaches out makes the workflow do so; one of which nothing is known leaves it open. */
function derived(name: HintName, called: readonly (CatalogItem | undefined)[]): boolean | undefined {
  // Without a call nothing is read and nothing destroyed; and how a repetition ends does not follow from the parts.
  if (called.length === 0 || name === 'idempotentHint') return undefined;
  const claims = called.map(definition => {
    // Whether a tool that changes nothing destroys is no question.
    return name === 'destructiveHint' && readHint(definition, 'readOnlyHint') === true
      ? false
      : readHint(definition, name);
  });
  const worst = name !== 'readOnlyHint';
  if (claims.includes(worst)) return worst;
  return claims.includes(undefined) ? undefined : !worst;
}

/** What a hint is worth when the tool does not say: the defaults of MCP, which suppose the worst. */
const DEFAULTS = { readOnlyHint: false, destructiveHint: true, openWorldHint: true } as const;

/** The hints by which a workflow can claim to be safe, each with the value that does. */
export const SAFETY_CLAIMS = [
  { hint: 'readOnlyHint', safe: true },
  { hint: 'destructiveHint', safe: false },
  { hint: 'openWorldHint', safe: false },
] as const;

export type SafetyHint = (typeof SAFETY_CLAIMS)[number]['hint'];

/** Whether a tool is as safe as a workflow that calls it may claim to be by this hint. */
export function isSafeBy(hint: SafetyHint, definition: CatalogItem): boolean {
  const value = readHint(definition, hint) ?? DEFAULTS[hint];
  if (hint === 'readOnlyHint') return value;
  // The hint means nothing for a tool that changes nothing.
  return !value || (hint === 'destructiveHint' && readHint(definition, 'readOnlyHint') === true);
}

/** The tool that clients are listed. */
export function workflowDefinition(
  {
    name,
    description,
    parameters,
    annotations,
    outputSchema,
  }: Pick<WorkflowTool, 'name' | 'parameters' | 'annotations' | 'outputSchema'> & {
    readonly description: string | undefined;
  },
  called: readonly (CatalogItem | undefined)[],
): CatalogItem {
  const hints = Object.entries(workflowHints(annotations, called)).map(([hint, { value }]) => [hint, value]);
  const shown = { ...annotations, ...Object.fromEntries(hints) };
  return {
    name,
    ...(description === undefined ? {} : { description }),
    inputSchema: parameters,
    ...(outputSchema === null ? {} : { outputSchema: withFailure(outputSchema) }),
    ...(Object.keys(shown).length === 0 ? {} : { annotations: shown }),
  };
}

/** Clients check what a failed call says by the same schema. */
function withFailure(schema: CatalogItem): CatalogItem {
  const { required, ...rest } = schema;
  const properties = {
    ...(schema.properties as CatalogItem | undefined),
    [WORKFLOW_FAILURE]: { type: 'object', description: 'Only of a failed call: which steps were done, and which not.' },
  };
  if (!Array.isArray(required) || required.length === 0) return { ...rest, properties };
  return { ...rest, properties, anyOf: [{ required }, { required: [WORKFLOW_FAILURE] }] };
}
