import type { CallerTest } from '../caller.ts';
import type { ToolTest } from '../tools.ts';
import { cedarEntity, cedarPrefix, cedarString, guarded } from './cedar-text.ts';
import { toPrincipal } from './principal.ts';

/** The items of a policy: one kind of item, or everything. */
export type PolicySubject =
  /** Names as clients see them, and tests of annotations; an empty list matches no item. */
  | { readonly type: 'tools'; readonly names: readonly string[]; readonly tests: readonly ToolTest[] }
  | { readonly type: 'prompts'; readonly names: readonly string[] }
  | { readonly type: 'resources'; readonly uris: readonly string[]; readonly under: readonly string[] }
  | { readonly type: 'everything' };

export interface Policy {
  readonly id: string;
  readonly effect: 'permit' | 'forbid';
  readonly caller: CallerTest;
  readonly subject: PolicySubject;
}

/** Renders one policy, the same text for the same input. Attributes that may be missing get a `has` test first. */
export function renderPolicy({ id, effect, caller, subject }: Policy, groupType: string): string {
  const principal = toPrincipal(caller, groupType);
  const { action, resource, condition } = toParts(subject);
  const conditions = [principal.condition, condition].filter(value => value !== undefined);
  const head = [`@id(${cedarString(id)})`, `${effect} (`, `  ${principal.head},`, `  ${action},`, `  ${resource}`, ')'];
  return [
    ...head,
    ...(conditions.length === 0
      ? []
      : [`when { ${conditions.map(value => conjunct(value, conditions)).join(' && ')} }`]),
  ]
    .join('\n')
    .concat(';\n');
}

/** The policy of a gateway without grants, because a list of policies must not be empty. */
export const NOTHING_PERMITTED = '@id("nothing-granted")\nforbid (principal, action, resource);\n';

function conjunct(condition: string, all: readonly string[]): string {
  return all.length === 1 ? condition : `(${condition})`;
}

interface Parts {
  readonly action: string;
  readonly resource: string;
  readonly condition?: string;
}

function toParts(subject: PolicySubject): Parts {
  switch (subject.type) {
    case 'everything':
      return { action: 'action', resource: 'resource' };
    case 'prompts':
      return named('get_prompt', 'Prompt', subject.names);
    case 'resources':
      return resources(subject.uris, subject.under);
    case 'tools':
      return tools(subject.names, subject.tests);
  }
}

function tools(names: readonly string[], tests: readonly ToolTest[]): Parts {
  const action = formatAction('call_tool');
  if (tests.includes('all')) return { action, resource: 'resource' };
  if (tests.length === 0) return named('call_tool', 'Tool', names);
  const conditions = [...(names.length === 0 ? [] : [formatResources('Tool', names)]), ...new Set(tests.map(hintTest))];
  return {
    action,
    resource: 'resource',
    condition: conditions.map(condition => conjunct(condition, conditions)).join(' || '),
  };
}

function resources(uris: readonly string[], under: readonly string[]): Parts {
  const action = formatAction('read_resource');
  if (under.length === 0) return named('read_resource', 'Resource', uris);
  const conditions = [
    ...(uris.length === 0 ? [] : [formatResources('Resource', uris)]),
    ...under.map(prefix => `resource.uri like ${cedarPrefix(prefix)}`),
  ];
  return { action, resource: 'resource', condition: conditions.join(' || ') };
}

/** Applies MCP's defaults: a tool writes unless it claims to be read-only, and is destructive unless it claims otherwise. */
function hintTest(test: ToolTest): string {
  const reads = guarded('resource', 'readOnlyHint', hint => hint);
  if (test === 'readOnly') return reads;
  return `!(${reads}) && !(${guarded('resource', 'destructiveHint', hint => `!${hint}`)})`;
}

function formatAction(name: string): string {
  return `action == ${cedarEntity('Action', name)}`;
}

/** The head of a policy takes one entity, not a list. */
function named(action: string, type: string, ids: readonly string[]): Parts {
  const test = formatResources(type, ids);
  return new Set(ids).size === 1
    ? { action: formatAction(action), resource: test }
    : { action: formatAction(action), resource: 'resource', condition: test };
}

function formatResources(type: string, ids: readonly string[]): string {
  const entities = [...new Set(ids)].map(id => cedarEntity(type, id));
  return entities.length === 1 ? `resource == ${entities[0]}` : `resource in [${entities.join(', ')}]`;
}
