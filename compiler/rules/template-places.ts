/** The templates of a composite tool, and where in the sources a part of one stands. */

import type { DiagnosticCode } from '../diagnostics/codes.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { CompositeTool, CompositeToolPlace, Step } from '../resolve/composite-tools.ts';
import { type DiagnoseDetails, diagnose } from '../resolve/diagnose.ts';
import type { Resource } from '../resolve/inventory.ts';
import { scalarOffsets } from '../source/scalar-offsets.ts';
import type { Path } from '../source/source-document.ts';
import { parseTemplate, type ReferencedPath, referencedPaths } from '../templates/index.ts';

type Properties = NonNullable<CompositeTool['output']>['properties'];

export interface TemplatePlace {
  readonly text: string;
  readonly path: Path;
  /** The step whose template it is; none for the output of the workflow. */
  readonly step?: Step;
  /** Whether it is repeated for every item, and so sees `.forEach`. */
  readonly isRepeated: boolean;
}

/** Every text that is a template, in the order of the steps, idle ones too: the API server judges them as well. */
export function templatesOf({ tool, path }: CompositeToolPlace): readonly TemplatePlace[] {
  return [
    ...tool.steps.flatMap((step, index) => stepTemplates(step, [...path, 'steps', index])),
    ...outputTemplates(tool.output?.properties ?? {}, [...path, 'output', 'properties']),
  ];
}

/** What a template reads from its scope; nothing when it does not parse. */
export function readsOf({ text }: TemplatePlace): readonly ReferencedPath[] {
  const parsed = parseTemplate(text);
  return 'tree' in parsed ? referencedPaths(parsed.tree) : [];
}

/** A finding about a part of a template: marked there when the sources show the template as it is, else as a whole. */
export function diagnosePart(
  { document }: Resource,
  code: DiagnosticCode,
  { text, path }: TemplatePlace,
  [offset, length]: readonly [offset: number, length: number],
  message: string,
  details: DiagnoseDetails = {},
): Diagnostic {
  const found = diagnose(document, code, path, message, details);
  const { source } = document.doc;
  const { start, end } = found.range;
  const offsets = scalarOffsets(source.text.slice(start.offset, end.offset), text);
  const [first, last] = [offsets?.[offset], offsets?.[offset + length]];
  if (first === undefined || last === undefined) return found;
  return { ...found, range: source.range(start.offset + first, start.offset + last) };
}

function stepTemplates(step: Step, path: Path): TemplatePlace[] {
  const found: TemplatePlace[] = [];
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

function outputTemplates(properties: Properties, path: Path): TemplatePlace[] {
  return Object.entries(properties).flatMap(([name, { value, properties: nested }]) => [
    ...(value === undefined ? [] : [{ text: value, path: [...path, name, 'value'], isRepeated: false }]),
    ...outputTemplates((nested ?? {}) as Properties, [...path, name, 'properties']),
  ]);
}
