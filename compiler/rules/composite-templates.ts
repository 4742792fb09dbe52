import { parseTemplate } from '../analysis/templates/index.ts';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { listCompositeTools, listSteps } from '../resolve/composite-tools.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { diagnosePart, listTemplates } from './support/template-locations.ts';

/**
 * Templates must parse, and be in fields that are expanded.
 *
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | templates | parse; not below the first level of `arguments` | LNT7004,
 *   LNT7019
 */
export function compositeTemplates(resource: Resource): Diagnostic[] {
  return [
    ...listCompositeTools(resource).flatMap(location => checkSyntax(resource, location)),
    ...listSteps(resource).flatMap(({ step, path }) => [
      ...checkBelowFirstLevel(resource, step.arguments, [...path, 'arguments']),
      ...checkBelowFirstLevel(resource, step.step?.arguments, [...path, 'step', 'arguments']),
    ]),
  ];
}

function checkSyntax(resource: Resource, location: Parameters<typeof listTemplates>[0]): Diagnostic[] {
  return listTemplates(location).flatMap(template => {
    const parsed = parseTemplate(template.text);
    if ('tree' in parsed) return [];
    return parsed.errors.map(({ offset, length, message, fix }) =>
      diagnosePart(resource, 'LNT7004', template, [offset, length], `not a template: ${message}`, { fix }),
    );
  });
}

function checkBelowFirstLevel(resource: Resource, values: object | undefined, path: Path): Diagnostic[] {
  return Object.entries(values ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' ? [] : checkUnexpanded(resource, value, [...path, name]),
  );
}

function checkUnexpanded(resource: Resource, value: unknown, path: Path): Diagnostic[] {
  if (typeof value === 'string') {
    if (!value.includes('{{')) return [];
    const message = 'only strings at the first level of arguments are templates: the tool gets this text unchanged';
    return [diagnose(resource.document, 'LNT7019', path, message)];
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => checkUnexpanded(resource, item, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => checkUnexpanded(resource, member, [...path, name]));
}
