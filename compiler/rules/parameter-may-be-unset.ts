import { isObject } from '#schemas';
import { listPrintedPaths, parseTemplate } from '../analysis/templates/index.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { type CompositeTool, type CompositeToolLocation, listCompositeTools } from '../resolve/composite-tools.ts';
import type { Resource } from '../resolve/inventory.ts';
import { isExplicit } from './support/explicit.ts';
import { diagnosePart, listReads, listTemplates, type TemplateLocation } from './support/template-locations.ts';

/** Keywords that may require a parameter besides `required`. */
const MORE_REQUIRED = ['$ref', 'allOf', 'anyOf', 'dependentRequired', 'if', 'oneOf'];

/**
 * An optional parameter must not be printed directly: Go prints `<no value>` for a missing one, and the tool would get that text.
 *
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | templates | do not print an optional parameter without a test | LNT7035
 */
export function parameterMayBeUnset(resource: Resource): Diagnostic[] {
  return listCompositeTools(resource).flatMap(location => {
    const unset = unsetParameters(location.tool);
    return unset.size === 0
      ? []
      : listTemplates(location).flatMap(template => check(resource, location, template, unset));
  });
}

function check(
  resource: Resource,
  location: CompositeToolLocation,
  template: TemplateLocation,
  unset: ReadonlySet<string>,
): Diagnostic[] {
  if (hasDefault(resource, template) || !listReads(template).some(({ path }) => path[0] === 'params')) return [];
  const parsed = parseTemplate(template.text);
  if (!('tree' in parsed)) return [];
  const tested = collectAskedBefore(location, template);
  return listPrintedPaths(parsed.tree).flatMap(({ path: [root, name = ''], at }) => {
    if (root !== 'params' || !unset.has(name) || tested.has(name)) return [];
    const message = `the template prints parameter "${name}", which callers may leave out and which has no default: the text then has "<no value>" in its place`;
    const help = `Add "${name}" to required of parameters, or give it a default, or write {{ or .params.${name} "" }}`;
    return [diagnosePart(resource, 'LNT7035', template, at, message, { help })];
  });
}

/** Whether an output property has a default, which replaces a missing value. */
function hasDefault(resource: Resource, { step, path }: TemplateLocation): boolean {
  return step === undefined && isExplicit(resource, [...path.slice(0, -1), 'default']);
}

/** Parameters that the step's condition reads: the step may run only if they are present. */
function collectAskedBefore(location: CompositeToolLocation, { step, path }: TemplateLocation): ReadonlySet<string> {
  if (step === undefined || path.at(-1) === 'condition') return new Set();
  const condition = listTemplates(location).find(
    templateLocation => templateLocation.step === step && templateLocation.path.at(-1) === 'condition',
  );
  const reads = condition === undefined ? [] : listReads(condition);
  return new Set(reads.flatMap(({ path: [root, name] }) => (root === 'params' && name !== undefined ? [name] : [])));
}

/** The parameters that `properties` describes and that have neither a default nor an entry in `required`. */
function unsetParameters({ parameters = {} }: CompositeTool): ReadonlySet<string> {
  const { properties, required } = parameters;
  if (!isObject(properties) || MORE_REQUIRED.some(keyword => Object.hasOwn(parameters, keyword))) return new Set();
  const requiredNames = new Set<unknown>(Array.isArray(required) ? required : []);
  return new Set(
    Object.entries(properties).flatMap(([name, schema]) =>
      requiredNames.has(name) || (isObject(schema) && (schema.default ?? null) !== null) ? [] : [name],
    ),
  );
}
