/**
 * How clients see a workflow: as a tool, with hints that follow from its steps. The compiler uses it for the tool lock and the runtime for live
 * backends.
 */

import type { CatalogItem, WorkflowTool } from '#schemas';
import { TOOL_HINTS } from './cedar-request.ts';

type HintName = (typeof TOOL_HINTS)[number];

export type WorkflowHints = {
  readonly [hint in HintName]?: { readonly value: boolean; readonly from: 'spec' | 'steps' };
};

/** Member of `structuredContent` that describes how far a failed workflow came. */
export const WORKFLOW_FAILURE = 'workflowFailure';

/**
 * The hints in the spec; missing ones are derived from the tools that the workflow calls.
 *
 * @param called the called tools as clients see them; undefined for an unknown tool
 */
export function deriveWorkflowHints(
  annotations: WorkflowTool['annotations'],
  called: readonly (CatalogItem | undefined)[],
): WorkflowHints {
  const hints: { [hint in HintName]?: { readonly value: boolean; readonly from: 'spec' | 'steps' } } = {};
  for (const name of TOOL_HINTS) {
    const annotation = annotations[name];
    const value = typeof annotation === 'boolean' ? annotation : deriveHint(name, called);
    if (value !== undefined) hints[name] = { value, from: typeof annotation === 'boolean' ? 'spec' : 'steps' };
  }
  return hints;
}

/** The hint in a tool's definition; undefined when there is none. */
export function readHint(definition: CatalogItem | undefined, name: HintName): boolean | undefined {
  const annotations = definition?.annotations;
  if (typeof annotations !== 'object' || annotations === null) return undefined;
  const value = (annotations as CatalogItem)[name];
  return typeof value === 'boolean' ? value : undefined;
}

/** The workflow writes, destroys or is open-world if one of its tools is. Otherwise, if nothing is known of one tool, the hint stays undefined. */
function deriveHint(name: HintName, called: readonly (CatalogItem | undefined)[]): boolean | undefined {
  // A workflow without calls reads and destroys nothing. Whether it is idempotent does not follow from its steps.
  if (called.length === 0 || name === 'idempotentHint') return undefined;
  const claims = called.map(definition => {
    // `destructiveHint` has no meaning for a read-only tool.
    return name === 'destructiveHint' && readHint(definition, 'readOnlyHint') === true
      ? false
      : readHint(definition, name);
  });
  const worst = name !== 'readOnlyHint';
  if (claims.includes(worst)) return worst;
  return claims.includes(undefined) ? undefined : !worst;
}

/** The values of missing hints: MCP's defaults, which assume the worst. */
const DEFAULTS = { readOnlyHint: false, destructiveHint: true, openWorldHint: true } as const;

/** The hints by which a workflow can claim to be safe, each with the safe value. */
export const SAFETY_CLAIMS = [
  { hint: 'readOnlyHint', safe: true },
  { hint: 'destructiveHint', safe: false },
  { hint: 'openWorldHint', safe: false },
] as const;

export type SafetyHint = (typeof SAFETY_CLAIMS)[number]['hint'];

/** Whether a called tool is safe enough for the workflow's claim by this hint. */
export function isSafeBy(hint: SafetyHint, definition: CatalogItem): boolean {
  const value = readHint(definition, hint) ?? DEFAULTS[hint];
  if (hint === 'readOnlyHint') return value;
  // The hint has no meaning for a read-only tool.
  return !value || (hint === 'destructiveHint' && readHint(definition, 'readOnlyHint') === true);
}

/** The tool that clients see in their list. */
export function buildWorkflowDefinition(
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
  const hints = Object.entries(deriveWorkflowHints(annotations, called)).map(([hint, { value }]) => [hint, value]);
  const shown = { ...annotations, ...Object.fromEntries(hints) };
  return {
    name,
    ...(description === undefined ? {} : { description }),
    inputSchema: parameters,
    ...(outputSchema === null ? {} : { outputSchema: withFailure(outputSchema) }),
    ...(Object.keys(shown).length === 0 ? {} : { annotations: shown }),
  };
}

/** Clients validate the content of failed calls against the same schema. */
function withFailure(schema: CatalogItem): CatalogItem {
  const { required, ...rest } = schema;
  const properties = {
    ...(schema.properties as CatalogItem | undefined),
    [WORKFLOW_FAILURE]: { type: 'object', description: 'Only of a failed call: which steps were done, and which not.' },
  };
  if (!Array.isArray(required) || required.length === 0) return { ...rest, properties };
  return { ...rest, properties, anyOf: [{ required }, { required: [WORKFLOW_FAILURE] }] };
}
