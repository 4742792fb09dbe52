import { isObject } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic, RelatedLocation } from '../diagnostics/diagnostic.ts';
import { type CompositeToolLocation, listCompositeTools, type Step } from '../resolve/composite-tools.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { diagnosePart, listReads, listTemplates } from './support/template-locations.ts';

/** The first reader of each field, by step and field. */
type FieldReads = ReadonlyMap<string, ReadonlyMap<string, RelatedLocation>>;

/**
 * A step that may end without an output needs `defaultResults` for every field that other steps or the workflow's output read.
 *
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `defaultResults` | are set for values of a step that may have no output
 *   | LNT7008
 */
export function defaultResultsMissing(resource: Resource): Diagnostic[] {
  return listCompositeTools(resource).flatMap(location => {
    const uncertain = location.tool.steps.filter(step => findReason(step) !== undefined);
    if (uncertain.length === 0) return [];
    const reads = listFieldReads(resource, location, new Set(uncertain.map(({ id }) => id)));
    return location.tool.steps.flatMap((step, index) =>
      check(resource, step, [...location.path, 'steps', index], reads),
    );
  });
}

function check(resource: Resource, step: Step, path: Path, reads: FieldReads): Diagnostic[] {
  const reason = findReason(step);
  if (reason === undefined) return [];
  const defaults = isObject(step.defaultResults) ? step.defaultResults : {};
  return [...(reads.get(step.id) ?? [])].flatMap(([field, related]) => {
    if (Object.hasOwn(defaults, field)) return [];
    const message = `step "${step.id}" ${reason}, but defaultResults does not have "${field}", which a template reads from its output`;
    return [diagnose(resource.document, 'LNT7008', [...path, 'defaultResults'], message, { related: [related] })];
  });
}

/** Why a step may end without an output. */
function findReason({ condition = '', onError }: Step): string | undefined {
  if (condition !== '') return 'can be skipped';
  return onError?.action === 'continue' ? 'may fail without ending the workflow' : undefined;
}

function listFieldReads(resource: Resource, location: CompositeToolLocation, ids: ReadonlySet<string>): FieldReads {
  const found = new Map<string, Map<string, RelatedLocation>>();
  for (const template of listTemplates(location)) {
    for (const { path, at } of listReads(template)) {
      const [root, id = '', output, field] = path;
      if (root !== 'steps' || output !== 'output' || field === undefined || !ids.has(id)) continue;
      // A step's own templates run before it has an output.
      if (template.step?.id === id) continue;
      const fields = found.get(id) ?? new Map<string, RelatedLocation>();
      found.set(id, fields);
      if (fields.has(field)) continue;
      const { file, range } = diagnosePart(resource, 'LNT7008', template, at, '');
      fields.set(field, { message: 'read here', file, range });
    }
  }
  return found;
}
