/** The templates of a composite tool. */
import { LRUCache } from 'lru-cache';
import { listReferencedPaths, parseTemplate, type ReferencedPath } from '../../analysis/templates/index.ts';
import { isInDoubt } from '../../check/doubt.ts';
import type { CompositeTool, CompositeToolLocation, Step } from '../../resolve/composite-tools.ts';
import type { Path } from '../../source/source-document.ts';

export { diagnosePart } from './diagnose-part.ts';

type Properties = NonNullable<CompositeTool['output']>['properties'];

export interface TemplateLocation {
  readonly text: string;
  readonly path: Path;
  /** The step of the template; undefined for the workflow's output. */
  readonly step?: Step;
  /** Whether the template is evaluated for every item and may read `.forEach`. */
  readonly isRepeated: boolean;
}

/** Maximum number of workflows with cached templates: more than one gateway has. */
const MAX_RECENT = 256;

/** Cached, because several rules read the same workflow one after the other, and parsing is slow. */
const templates = new LRUCache<CompositeTool, readonly TemplateLocation[]>({ max: MAX_RECENT });
const reads = new WeakMap<TemplateLocation, readonly ReferencedPath[]>();

/** Every template text in step order, including those without effect: the API server validates them as well. */
export function listTemplates(location: CompositeToolLocation): readonly TemplateLocation[] {
  const known = templates.get(location.tool);
  if (known !== undefined) return known;
  const found = findTemplates(location);
  if (isInDoubt(location.tool)) return found;
  templates.set(location.tool, found);
  return found;
}

/** The fields that a template reads from its scope; empty when it does not parse. */
export function listReads(template: TemplateLocation): readonly ReferencedPath[] {
  const known = reads.get(template);
  if (known !== undefined) return known;
  const parsed = parseTemplate(template.text);
  const found = 'tree' in parsed ? listReferencedPaths(parsed.tree) : [];
  reads.set(template, found);
  return found;
}

function findTemplates({ tool, path }: CompositeToolLocation): readonly TemplateLocation[] {
  return [
    ...tool.steps.flatMap((step, index) => listStepTemplates(step, [...path, 'steps', index])),
    ...listOutputTemplates(tool.output?.properties ?? {}, [...path, 'output', 'properties']),
  ];
}

function listStepTemplates(step: Step, path: Path): TemplateLocation[] {
  const found: TemplateLocation[] = [];
  const add = (text: unknown, at: Path, isRepeated = false) => {
    if (typeof text === 'string') found.push({ text, path: at, step, isRepeated });
  };
  add(step.condition, [...path, 'condition']);
  add(step.message, [...path, 'message']);
  add(step.collection, [...path, 'collection']);
  for (const [name, value] of Object.entries(step.arguments ?? {})) add(value, [...path, 'arguments', name]);
  for (const [name, value] of Object.entries(step.step?.arguments ?? {})) {
    add(value, [...path, 'step', 'arguments', name], true);
  }
  return found;
}

function listOutputTemplates(properties: Properties, path: Path): TemplateLocation[] {
  return Object.entries(properties).flatMap(([name, { value, properties: nested }]) => [
    ...(value === undefined ? [] : [{ text: value, path: [...path, name, 'value'], isRepeated: false }]),
    ...listOutputTemplates((nested ?? {}) as Properties, [...path, name, 'properties']),
  ]);
}
