import { isObject } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { listCompositeTools } from '../resolve/composite-tools.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';

/**
 * `parameters` is the input schema that clients see: an object whose required members are described.
 *
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `parameters` | `type: object`; `required` within `properties` | LNT7016
 */
export function invalidParameters(resource: Resource): Diagnostic[] {
  return listCompositeTools(resource).flatMap(({ tool, path }) =>
    tool.parameters === undefined ? [] : check(resource, tool.parameters, [...path, 'parameters']),
  );
}

function check(resource: Resource, parameters: Readonly<Record<string, unknown>>, path: Path): Diagnostic[] {
  const { type, properties, required } = parameters;
  const report = (at: readonly string[], message: string) =>
    diagnose(resource.document, 'LNT7016', [...path, ...at], message);
  if (type === undefined) return [report([], 'parameters must be a JSON Schema with "type: object"')];
  if (type !== 'object') return [report(['type'], 'the type of parameters must be "object"')];
  if (properties !== undefined && !isObject(properties)) {
    return [report(['properties'], 'properties must be a mapping of names to schemas')];
  }
  if (required === undefined) return [];
  if (!Array.isArray(required)) return [report(['required'], 'required must be a list of names')];
  return required.flatMap((name, index) => {
    const at = [...path, 'required', index];
    if (typeof name !== 'string') {
      return [diagnose(resource.document, 'LNT7016', at, 'required must be a list of names')];
    }
    if (Object.hasOwn(properties ?? {}, name)) return [];
    // JSON Schema allows a required member without a schema, but callers would have to pass an argument that nothing describes.
    const message = `required parameter "${name}" is not in properties`;
    return [diagnose(resource.document, 'LNT7016', at, message, { severity: 'warning' })];
  });
}
