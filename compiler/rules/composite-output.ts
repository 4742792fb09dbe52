import { isObject } from '#schemas';
import { coerce } from '#shared/plan';
import { findNearest } from '#shared/util';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { type CompositeTool, listCompositeTools } from '../resolve/composite-tools.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';

type Output = NonNullable<CompositeTool['output']>;
type Properties = Output['properties'];
type Property = Properties[string];

/**
 * The properties of a workflow's output must have a value, and required ones must be described.
 *
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `output` | properties; `value` or `properties`; types; `required`;
 *   defaults that fit; descriptions | LNT7017, LNT1010 (warning)
 */
export function compositeOutput(resource: Resource): Diagnostic[] {
  return listCompositeTools(resource).flatMap(({ tool, path }) => {
    if (tool.output === undefined) return [];
    const { properties, required = [] } = tool.output;
    const at = [...path, 'output'];
    return [
      ...checkProperties(resource, properties, [...at, 'properties']),
      ...required.flatMap((name, index) => checkRequiredName(resource, name, properties, [...at, 'required', index])),
    ];
  });
}

function checkRequiredName(resource: Resource, name: string, properties: Properties, path: Path): Diagnostic[] {
  if (Object.hasOwn(properties, name)) return [];
  const close = findNearest(name, Object.keys(properties));
  const message = `required output "${name}" is not in properties`;
  return [
    diagnose(
      resource.document,
      'LNT7017',
      path,
      message,
      close === undefined ? {} : { fix: `did you mean "${close}"?` },
    ),
  ];
}

function checkProperties(resource: Resource, properties: Properties, path: Path): Diagnostic[] {
  const entries = Object.entries(properties);
  if (entries.length === 0) return [diagnose(resource.document, 'LNT7017', path, 'the output has no properties')];
  return entries.flatMap(([name, property]) => checkProperty(resource, name, property, [...path, name]));
}

function checkProperty(resource: Resource, name: string, property: Property, path: Path): Diagnostic[] {
  const { type, description, value, properties } = property;
  const found: Diagnostic[] = [];
  const report = (at: Path, message: string) => {
    found.push(diagnose(resource.document, 'LNT7017', at, message));
  };
  if ((description ?? '') === '') {
    // The runtime of ToolHive would not start without a description, although ToolHive's documentation calls the description optional.
    const message = `output "${name}" has no description`;
    found.push(diagnose(resource.document, 'LNT1010', [...path, 'description'], message, { severity: 'warning' }));
  }
  const hasValue = value !== undefined && value !== '';
  if (hasValue && properties !== undefined) report(path, `output "${name}" has both value and properties`);
  if (!hasValue && properties === undefined) report(path, `output "${name}" has neither value nor properties`);
  if (properties !== undefined) {
    if (type !== 'object') report([...path, 'properties'], `output "${name}" has properties but is of type ${type}`);
    found.push(...checkProperties(resource, properties, [...path, 'properties']));
  }
  if (property.default !== undefined && !fits(property.default, type)) {
    report([...path, 'default'], `the default of output "${name}" is not of type ${type}`);
  }
  return found;
}

/** A default may also be text that can be converted, because rendered values are converted to the type as well. */
function fits(value: unknown, type: Property['type']): boolean {
  if (typeof value === 'string') return coerce(value, type) !== undefined;
  switch (type) {
    case 'string':
      return value !== null && typeof value !== 'object';
    case 'boolean':
      return typeof value === 'boolean';
    case 'integer':
      return typeof value === 'bigint' || Number.isInteger(value);
    case 'number':
      return typeof value === 'bigint' || typeof value === 'number';
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
  }
}
