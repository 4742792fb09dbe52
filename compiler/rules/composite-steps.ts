import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { listSteps, type Step } from '../resolve/composite-tools.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { isExplicit } from './support/explicit.ts';

/** How a step names a tool: as `<workload>.<tool>`, or by the name that clients see. */
const TOOL = /^[a-zA-Z0-9][a-zA-Z0-9._-]*$/;

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Fields for one type of step only. */
const OWN_FIELDS: { readonly [type: string]: readonly (keyof Step)[] } = {
  tool: ['tool', 'arguments'],
  elicitation: ['message', 'schema', 'onDecline', 'onCancel'],
  forEach: ['collection', 'itemVar', 'maxParallel', 'maxIterations', 'step'],
};

/** Fields of the step inside of a `forEach` that have no effect. */
const UNUSED_INSIDE = ['condition', 'dependsOn', 'timeout', 'defaultResults'] as const;

/**
 * Every step must have the fields of its type, and none of another type.
 *
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `steps[].tool` | present and well formed | LNT1010, LNT7013
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `steps[].type` | required if both `tool` and `message` are set |
 *   LNT7012
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | fields of another type | have no effect; `tool` and `message` are
 *   refused in `forEach` | LNT1008, LNT1021
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `message`, `schema` | required by `elicitation` | LNT1010
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `collection`, `step` | required by `forEach`; the step calls a tool |
 *   LNT1010
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `itemVar` | an identifier, not `index` | LNT7014
 */
export function compositeSteps(resource: Resource): Diagnostic[] {
  return listSteps(resource).flatMap(({ step, path }) => {
    const typed = isExplicit(resource, [...path, 'type']);
    if (!typed && isExplicit(resource, [...path, 'tool']) && isExplicit(resource, [...path, 'message'])) {
      const message = `step "${step.id}" has both tool and message, so its type must be written`;
      return [diagnose(resource.document, 'LNT7012', path, message)];
    }
    return [...needs(resource, step, path), ...checkForeignFields(resource, step, path)];
  });
}

function needs(resource: Resource, step: Step, path: Path): Diagnostic[] {
  switch (step.type) {
    case 'elicitation':
      return [
        ...reportMissing(
          resource,
          path,
          'message',
          step.message,
          `elicitation step "${step.id}" has no message to show`,
        ),
        ...reportMissing(
          resource,
          path,
          'schema',
          step.schema,
          `elicitation step "${step.id}" has no schema for the answer`,
        ),
      ];
    case 'forEach':
      return [
        ...reportMissing(resource, path, 'collection', step.collection, `forEach step "${step.id}" has no collection`),
        ...reportMissing(resource, path, 'step', step.step, `forEach step "${step.id}" has no step to repeat`),
        ...checkItemVariable(resource, step, path),
        ...checkInnerStep(resource, step, path),
      ];
    default:
      return checkTool(resource, step.tool, `step "${step.id}"`, path);
  }
}

function reportMissing(resource: Resource, path: Path, field: string, value: unknown, message: string): Diagnostic[] {
  return value === undefined || value === '' ? [diagnose(resource.document, 'LNT1010', [...path, field], message)] : [];
}

function checkTool(resource: Resource, tool: string | undefined, what: string, path: Path): Diagnostic[] {
  const at = [...path, 'tool'];
  if (tool === undefined || tool === '') {
    return [diagnose(resource.document, 'LNT1010', at, `${what} names no tool`)];
  }
  if (TOOL.test(tool)) return [];
  const message = `${what}: the tool must be letters, digits, dots, hyphens and underscores, such as github.search`;
  return [diagnose(resource.document, 'LNT7013', at, message)];
}

function checkItemVariable(resource: Resource, { itemVar }: Step, path: Path): Diagnostic[] {
  if (itemVar === undefined || itemVar === '') return [];
  const at = [...path, 'itemVar'];
  if (itemVar === 'index') {
    return [
      diagnose(resource.document, 'LNT7014', at, 'itemVar cannot be "index": .forEach.index is the number of the item'),
    ];
  }
  if (IDENTIFIER.test(itemVar)) return [];
  const message = 'itemVar must be a name that templates can use: letters, digits and underscores, no digit first';
  return [diagnose(resource.document, 'LNT7014', at, message)];
}

function checkInnerStep(resource: Resource, { id, step: inner }: Step, path: Path): Diagnostic[] {
  if (inner === undefined) return [];
  const at = [...path, 'step'];
  const found = checkTool(resource, inner.tool, `the step repeated by "${id}"`, at);
  if (inner.id === '') {
    found.push(diagnose(resource.document, 'LNT1010', [...at, 'id'], 'the id of the step is empty'));
  }
  for (const field of UNUSED_INSIDE) {
    if (!isExplicit(resource, [...at, field])) continue;
    const message = `${field} has no effect in a step inside of forEach: put it on step "${id}"`;
    found.push(diagnose(resource.document, 'LNT1008', [...at, field], message, { at: 'key' }));
  }
  return found;
}

/** `tool` and `message` in a `forEach` are errors, because it would be unclear what is repeated. Other fields have no effect. */
function checkForeignFields(resource: Resource, step: Step, path: Path): Diagnostic[] {
  const type = step.type ?? 'tool';
  const others = Object.entries(OWN_FIELDS).filter(([owner]) => owner !== type);
  return others.flatMap(([owner, fields]) =>
    fields.flatMap(field => {
      const at = [...path, field];
      if (!isExplicit(resource, at)) return [];
      if (type === 'forEach' && (field === 'tool' || field === 'message')) {
        const message = `forEach step "${step.id}" cannot have ${field}: write the repeated call under step`;
        return [diagnose(resource.document, 'LNT1021', at, message, { at: 'key' })];
      }
      const message = `${field} has no effect: step "${step.id}" is of type ${type}, not ${owner}`;
      return [diagnose(resource.document, 'LNT1008', at, message, { at: 'key' })];
    }),
  );
}
