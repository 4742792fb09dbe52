import { isObject } from '#schemas';
import { findNearest } from '#shared/util';
import type { ReferencedPath } from '../analysis/templates/index.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { type CompositeTool, listCompositeTools, type Step } from '../resolve/composite-tools.ts';
import type { Resource } from '../resolve/inventory.ts';
import { MAX_STEPS } from './composite-basics.ts';
import { diagnosePart, listReads, listTemplates, type TemplateLocation } from './support/template-locations.ts';

/** Keywords that may describe further parameters besides `properties`. */
const MORE_PARAMETERS = ['$ref', 'allOf', 'anyOf', 'if', 'oneOf', 'patternProperties'];

interface ReadScope {
  readonly resource: Resource;
  readonly ids: readonly string[];
  /** The dependencies of each step. */
  readonly dependencies: ReadonlyMap<string, readonly string[]>;
  /** Undefined when the schema allows any. */
  readonly parameters: readonly string[] | undefined;
}

interface Read {
  readonly template: TemplateLocation;
  readonly at: ReferencedPath['at'];
  readonly name: string;
}

/**
 * Templates may only read values that exist at that time: parameters, outputs of earlier steps, and items inside of a `forEach`.
 *
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | templates | read steps that exist and are waited for, declared
 *   parameters, `.forEach` within it | LNT7005
 */
export function templateUndeclaredStep(resource: Resource): Diagnostic[] {
  return listCompositeTools(resource).flatMap(location => {
    const scope: ReadScope = {
      resource,
      ids: location.tool.steps.map(({ id }) => id),
      dependencies: readDependencies(location.tool.steps),
      parameters: listParameters(location.tool),
    };
    return listTemplates(location).flatMap(template =>
      listReads(template).flatMap(({ path: [root, name], at }) => {
        if (root === 'forEach') return checkItemRead(scope, template, at, name);
        if (name === undefined) return [];
        if (root === 'steps') return checkStepRead(scope, { template, at, name });
        return root === 'params' ? checkParameterRead(scope, { template, at, name }) : [];
      }),
    );
  });
}

function checkStepRead(scope: ReadScope, { template, at, name }: Read): Diagnostic[] {
  const { resource, ids, dependencies } = scope;
  if (!dependencies.has(name)) {
    const message = `the template reads step "${name}", which is not a step of this workflow`;
    return [diagnosePart(resource, 'LNT7005', template, at, message, suggestFix(name, ids))];
  }
  // The output is built after all steps. Too many steps are reported elsewhere, and searching them would take long.
  if (template.step === undefined || ids.length > MAX_STEPS) return [];
  const { id } = template.step;
  if (id === name) {
    const message = `the template belongs to step "${id}" and reads the same step, which has not run yet`;
    return [diagnosePart(resource, 'LNT7005', template, at, message, { severity: 'warning' })];
  }
  if (waitsFor(dependencies, id, name)) return [];
  const message = `the template reads step "${name}", on which step "${id}" does not depend: the step may not have run yet`;
  const fix = waitsFor(dependencies, name, id) ? {} : { fix: `add "${name}" to dependsOn of step "${id}"` };
  return [diagnosePart(resource, 'LNT7005', template, at, message, { severity: 'warning', ...fix })];
}

function checkParameterRead({ resource, parameters }: ReadScope, { template, at, name }: Read): Diagnostic[] {
  if (parameters === undefined || parameters.includes(name)) return [];
  const message = `the template reads parameter "${name}", which is not in properties of parameters`;
  const help = `Declare "${name}" in properties of parameters, or read one that is there`;
  const details = { severity: 'warning', help, ...suggestFix(name, parameters) } as const;
  return [diagnosePart(resource, 'LNT7005', template, at, message, details)];
}

function checkItemRead(
  { resource }: ReadScope,
  template: TemplateLocation,
  at: Read['at'],
  name: string | undefined,
): Diagnostic[] {
  if (!template.isRepeated) {
    const message = 'the template reads .forEach, which only arguments of the step inside of a forEach can read';
    return [diagnosePart(resource, 'LNT7005', template, at, message)];
  }
  const item = template.step?.itemVar || 'item';
  if (name === undefined || name === item || name === 'index') return [];
  const message = `the template reads .forEach.${name}, but the item is .forEach.${item}`;
  return [diagnosePart(resource, 'LNT7005', template, at, message, { severity: 'warning' })];
}

function suggestFix(name: string, names: readonly string[]): { readonly fix?: string } {
  const close = findNearest(name, names);
  return close === undefined ? {} : { fix: `did you mean "${close}"?` };
}

function readDependencies(steps: readonly Step[]): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const { id, dependsOn = [] } of steps) found.set(id, [...(found.get(id) ?? []), ...dependsOn]);
  return found;
}

/** Directly or transitively. */
function waitsFor(dependencies: ReadScope['dependencies'], id: string, name: string): boolean {
  const reached = new Set(dependencies.get(id));
  // A `Set` also visits elements that are added during the loop.
  for (const step of reached) for (const next of dependencies.get(step) ?? []) reached.add(next);
  return reached.has(name);
}

function listParameters({ parameters = {} }: CompositeTool): readonly string[] | undefined {
  const { properties = {}, additionalProperties = false } = parameters;
  const isOpen = additionalProperties !== false || MORE_PARAMETERS.some(keyword => Object.hasOwn(parameters, keyword));
  // Another rule reports a value that is not a mapping.
  return isOpen || !isObject(properties) ? undefined : Object.keys(properties);
}
