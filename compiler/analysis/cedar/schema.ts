/** The Cedar schema of a gateway, which its policies are validated against. */
import type { CedarValueJson, EntityType, SchemaJson, Type } from '@cedar-policy/cedar-wasm/nodejs';
import { ANONYMOUS_PRINCIPAL, CEDAR_ACTIONS, type CedarAction, type EntityUid, TOOL_HINTS } from '#shared/plan';
import { setOwnMember } from '../../source/own-member.ts';
import type { ValueType } from './attribute-uses.ts';
import type { PolicySet } from './authorization.ts';
import { parseEntityUid, readEntityUid } from './expression.ts';
import type { ClaimType, Vocabulary } from './vocabulary.ts';

type Attributes = Record<string, Type<string> & { required?: boolean }>;
type Shapes = Map<string, { readonly parents: Set<string>; readonly attributes: Attributes }>;

/** Actions of the policy language that no gateway ever evaluates, since lists show what may be called. */
export const IDLE_ACTIONS = ['list_tools', 'list_prompts', 'list_resources'] as const;

const TYPES: Readonly<Record<ValueType, Type<string>>> = {
  String: { type: 'String' },
  Long: { type: 'Long' },
  Boolean: { type: 'Boolean' },
  decimal: { type: 'Extension', name: 'decimal' },
  'Set<String>': { type: 'Set', element: { type: 'String' } },
  'Set<Long>': { type: 'Set', element: { type: 'Long' } },
};

export function generateCedarSchema(set: PolicySet, vocabulary: Vocabulary): SchemaJson<string> {
  const shapes = new Map([
    // Declared first: if the group type has the name of another type, the later declaration wins, so that its attributes stay.
    buildShape(set.source.groupType, [], {}),
    buildShape(ANONYMOUS_PRINCIPAL.type, [set.source.groupType], toOptional(vocabulary, 'claims')),
    buildShape('MCP', [], {}),
    buildShape('Tool', ['MCP'], {
      ...describeAction('call_tool'),
      ...describeHints(vocabulary),
      ...toOptional(vocabulary, 'toolArguments'),
    }),
    buildShape('Prompt', ['MCP'], { ...describeAction('get_prompt'), ...toOptional(vocabulary, 'promptArguments') }),
    buildShape('Resource', ['MCP'], describeAction('read_resource')),
  ]);
  for (const { uid, attrs, parents } of set.writtenEntities)
    addStatic(shapes, parseEntityUid(uid), attrs, parents.map(parseEntityUid));
  declareMentioned(shapes);
  return buildNamespaces(shapes, vocabulary);
}

function buildShape(name: string, parents: readonly string[], attributes: Attributes) {
  return [name, { parents: new Set(parents), attributes }] as const;
}

function describeAction(action: CedarAction): Attributes {
  return { [CEDAR_ACTIONS[action].naming]: TYPES.String, operation: TYPES.String, feature: TYPES.String };
}

function describeHints({ certain }: Vocabulary): Attributes {
  return Object.fromEntries(TOOL_HINTS.map(hint => [hint, { ...TYPES.Boolean, required: certain.has(hint) }]));
}

type Namespace = SchemaJson<string>[string];
type ContextPart = 'claims' | 'toolArguments' | 'promptArguments';

function toOptional(vocabulary: Vocabulary, part: ContextPart): Attributes {
  const { certain } = vocabulary;
  return Object.fromEntries(
    [...vocabulary[part]].map(([name, type]) => [name, { ...toCedarType(type), required: certain.has(name) }]),
  );
}

function toCedarType(type: ClaimType): Type<string> {
  if (typeof type === 'string') return TYPES[type];
  const members = [...type.members].map(
    ([name, member]) => [name, { ...toCedarType(member), required: false }] as const,
  );
  return { type: 'Record', attributes: Object.fromEntries(members) };
}

/** Adds an entity of `entitiesJson`. Its attributes belong to it alone, so a policy cannot rely on them for other entities of the type. */
function addStatic(
  shapes: Shapes,
  { type }: EntityUid,
  attrs: Readonly<Record<string, CedarValueJson>>,
  parents: readonly EntityUid[],
): void {
  if (isAction(type)) return;
  const known = shapes.get(type) ?? { parents: new Set<string>(), attributes: {} };
  shapes.set(type, known);
  for (const parent of parents) if (!isAction(parent.type)) known.parents.add(parent.type);
  for (const [name, value] of Object.entries(attrs)) {
    const inferred = inferValueType(value);
    if (inferred !== undefined && !Object.hasOwn(known.attributes, name)) {
      setOwnMember(known.attributes, name, { ...inferred, required: false });
    }
  }
}

/** Whether a type is that of actions. A schema declares actions separately, so no entity type may have their name. */
function isAction(type: string): boolean {
  return type === 'Action' || type.endsWith('::Action');
}

/** Declares the types that appear only as parents or values, without a described entity. */
function declareMentioned(shapes: Shapes): void {
  for (const { parents, attributes } of [...shapes.values()]) {
    for (const type of [...parents, ...Object.values(attributes).flatMap(listMentionedTypes)]) {
      if (!shapes.has(type)) shapes.set(type, { parents: new Set(), attributes: {} });
    }
  }
}

function listMentionedTypes(type: Type<string>): readonly string[] {
  if ('name' in type && type.type === 'Entity') return [type.name];
  if ('element' in type) return listMentionedTypes(type.element);
  return 'attributes' in type ? Object.values<Type<string>>(type.attributes).flatMap(listMentionedTypes) : [];
}

function inferValueType(value: CedarValueJson): Type<string> | undefined {
  if (typeof value === 'string') return TYPES.String;
  if (typeof value === 'number') return TYPES.Long;
  if (typeof value === 'boolean') return TYPES.Boolean;
  if (Array.isArray(value)) {
    const element = value[0] === undefined ? TYPES.String : inferValueType(value[0]);
    return element && { type: 'Set', element };
  }
  const uid = readEntityUid(value);
  if (uid !== undefined) return isAction(uid.type) ? undefined : { type: 'Entity', name: uid.type };
  if (typeof value !== 'object' || value === null || Object.hasOwn(value, '__extn')) return undefined;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const type = inferValueType(member);
    return type === undefined ? [] : [[name, { ...type, required: false }] as const];
  });
  return { type: 'Record', attributes: Object.fromEntries(members) };
}

const ARGUMENTS = { call_tool: 'toolArguments', get_prompt: 'promptArguments', read_resource: undefined } as const;

function buildNamespaces(shapes: Shapes, vocabulary: Vocabulary): SchemaJson<string> {
  const own: Namespace = { entityTypes: {}, actions: {} };
  const namespaces = new Map([['', own]]);
  for (const [name, { parents, attributes }] of shapes) {
    const at = name.lastIndexOf('::');
    const space = at === -1 ? '' : name.slice(0, at);
    const declared: EntityType<string> = { memberOfTypes: [...parents], shape: { type: 'Record', attributes } };
    const namespace = namespaces.get(space) ?? { entityTypes: {}, actions: {} };
    namespaces.set(space, namespace);
    setOwnMember(namespace.entityTypes, at === -1 ? name : name.slice(at + 2), declared);
  }
  const { actions } = own;
  for (const [action, { type }] of Object.entries(CEDAR_ACTIONS)) {
    const args = ARGUMENTS[action as CedarAction];
    const context = {
      ...toOptional(vocabulary, 'claims'),
      ...(args === undefined ? {} : toOptional(vocabulary, args)),
    };
    actions[action] = {
      appliesTo: {
        principalTypes: [ANONYMOUS_PRINCIPAL.type],
        resourceTypes: [type],
        context: { type: 'Record', attributes: context },
      },
    };
  }
  for (const action of IDLE_ACTIONS) actions[action] = {};
  return Object.fromEntries(namespaces);
}
