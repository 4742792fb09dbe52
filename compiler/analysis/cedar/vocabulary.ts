/** What policies of one gateway can refer to: claims and arguments with their types. */
import { compareText } from '#schemas';
import { TOOL_HINTS } from '#shared/plan';
import type { GatewayModel } from '../gateway/model.ts';
import { type AttributeUse, listAttributeUses, type ValueType } from './attribute-uses.ts';
import type { PolicySet } from './authorization.ts';
import { hasSubject, SUBJECT } from './partial-request.ts';

/** A claim may be an object, which policies see as a record. */
export type ClaimType = ValueType | RecordType;

export interface RecordType {
  readonly members: ReadonlyMap<string, ClaimType>;
}

/** Types by attribute, such as `claim_email` or `arg_branch`. Each may be absent from a request. */
export interface Vocabulary {
  readonly claims: ReadonlyMap<string, ClaimType>;
  /** The arguments of tools and composite tools. */
  readonly toolArguments: ReadonlyMap<string, ValueType>;
  readonly promptArguments: ReadonlyMap<string, ValueType>;
  /** Attributes that always exist, so that a policy needs no `has` guard for them: hints, and `claim_sub`. */
  readonly certain: ReadonlySet<string>;
}

/**
 * Claims whose type a standard fixes (RFC 7519, RFC 9068, OpenID Connect Core 5.1). For every other claim the first use decides the type, since
 * issuers may choose it and no document declares it.
 */
const STANDARD_CLAIMS: ReadonlyMap<string, ValueType> = new Map<string, ValueType>([
  ...['iss', 'sub', 'jti', 'azp', 'client_id', 'scope', 'name', 'email', 'preferred_username'].map(
    name => [`claim_${name}`, 'String'] as const,
  ),
  ...['exp', 'nbf', 'iat', 'auth_time'].map(name => [`claim_${name}`, 'Long'] as const),
  ['claim_email_verified', 'Boolean'],
]);

export function collectVocabulary(gateway: GatewayModel, set: PolicySet): Vocabulary {
  const uses = set.policies.flatMap(({ condition }) => listAttributeUses(condition, 'Boolean'));
  return {
    claims: collectClaimTypes(uses, set.multiValuedClaims),
    toolArguments: collectToolArguments(uses, gateway),
    promptArguments: collectPromptArguments(uses, gateway),
    certain: new Set([...(hasSubject(gateway.resource) ? [SUBJECT] : []), ...listCertainHints(gateway)]),
  };
}

function collectClaimTypes(
  uses: readonly AttributeUse[],
  multiValued: readonly string[],
): ReadonlyMap<string, ClaimType> {
  const claims = new Map<string, ClaimType>();
  for (const { attr } of uses.filter(({ of }) => of !== 'resource')) {
    if (attr.startsWith('claim_')) {
      const isList = multiValued.includes(attr.slice('claim_'.length));
      claims.set(attr, isList ? 'String' : (STANDARD_CLAIMS.get(attr) ?? claimTypeByUse(uses, attr)));
    } else if (attr.startsWith('claimset_') && multiValued.includes(attr.slice('claimset_'.length))) {
      claims.set(attr, 'Set<String>');
    }
  }
  return claims;
}

function collectToolArguments(uses: readonly AttributeUse[], gateway: GatewayModel): ReadonlyMap<string, ValueType> {
  const declared = collectDeclarations(gateway);
  return collectArguments(uses, attr => {
    const types = declared.get(attr);
    if (types === undefined) return gateway.isLocked ? undefined : inferTypeByUse(uses, attr);
    const [only] = types;
    return types.size === 1 && only !== undefined ? only : inferTypeByUse(uses, attr);
  });
}

/** What policies can ask of the arguments that tools and prompts declare, such as `arg_amount`; sorted. */
export function listDeclaredArguments(gateway: GatewayModel): readonly string[] {
  const ofPrompts = gateway.prompts.flatMap(({ definition }) =>
    Array.isArray(definition.arguments) ? definition.arguments.map(argument => `arg_${argument?.name}`) : [],
  );
  return [...new Set([...collectDeclarations(gateway).keys(), ...ofPrompts])].sort(compareText);
}

function collectDeclarations({
  tools,
  composites,
}: GatewayModel): ReadonlyMap<string, ReadonlySet<ValueType | undefined>> {
  const declared = new Map<string, Set<ValueType | undefined>>();
  const schemas = [
    ...tools.map(({ definition }) => definition.inputSchema),
    ...composites.map(({ tool }) => tool.parameters),
  ];
  for (const schema of schemas) declare(declared, schema);
  return declared;
}

/** Adds the types of the arguments in a schema. Policies do not get lists and objects, only `arg_<name>_present`. */
function declare(declared: Map<string, Set<ValueType | undefined>>, schema: unknown): void {
  const add = (attr: string, type: ValueType | undefined) => {
    const types = declared.get(attr);
    if (types === undefined) declared.set(attr, new Set([type]));
    else types.add(type);
  };
  const { properties } = (schema ?? {}) as { readonly properties?: Readonly<Record<string, unknown>> };
  for (const [name, property] of Object.entries(properties ?? {})) {
    const { type } = (property ?? {}) as { readonly type?: unknown };
    const types = (Array.isArray(type) ? type : [type]).filter(value => value !== 'null');
    for (const value of types) {
      if (value === 'array' || value === 'object' || value === undefined) add(`arg_${name}_present`, 'Boolean');
      if (value !== 'array' && value !== 'object') add(`arg_${name}`, ARGUMENT_TYPES.get(value as string));
    }
  }
}

/** A number without a fraction becomes a Long, any other number a decimal, so `number` alone decides no type. */
const ARGUMENT_TYPES: ReadonlyMap<string, ValueType> = new Map<string, ValueType>([
  ['string', 'String'],
  ['boolean', 'Boolean'],
  ['integer', 'Long'],
]);

function collectPromptArguments(uses: readonly AttributeUse[], gateway: GatewayModel): ReadonlyMap<string, ValueType> {
  const names = gateway.prompts.flatMap(({ definition }) =>
    Array.isArray(definition.arguments) ? definition.arguments.map(argument => `arg_${argument?.name}`) : [],
  );
  const known = new Set(names);
  return collectArguments(uses, attr =>
    known.has(attr) ? 'String' : gateway.isLocked ? undefined : inferTypeByUse(uses, attr),
  );
}

function collectArguments(
  uses: readonly AttributeUse[],
  findType: (attr: string) => ValueType | undefined,
): ReadonlyMap<string, ValueType> {
  const attrs = new Set(
    uses.filter(({ attr, of }) => of !== 'principal' && attr.startsWith('arg_')).map(use => use.attr),
  );
  return new Map(
    [...attrs].flatMap(attr => {
      const type = findType(attr);
      return type === undefined ? [] : [[attr, type] as const];
    }),
  );
}

function claimTypeByUse(uses: readonly AttributeUse[], attr: string): ClaimType {
  const own = uses.filter(use => use.attr === attr);
  const members = new Set(own.flatMap(use => use.members.slice(0, 1)));
  if (members.size === 0) return inferTypeByUse(own, attr);
  // Members are declared as if each were an attribute of its own.
  const inner = own.flatMap(({ members: [name, ...below], ...use }) =>
    name === undefined ? [] : [{ ...use, attr: name, members: below }],
  );
  return { members: new Map([...members].map(name => [name, claimTypeByUse(inner, name)])) };
}

function inferTypeByUse(uses: readonly AttributeUse[], attr: string): ValueType {
  return uses.find(use => use.attr === attr && use.members.length === 0 && use.type !== undefined)?.type ?? 'String';
}

function listCertainHints({ tools, composites, isLocked }: GatewayModel): readonly string[] {
  if (!isLocked) return [];
  const annotations = [
    ...tools.map(({ definition }) => definition.annotations),
    ...composites.map(({ tool }) => tool.annotations),
  ].map(stated => (stated ?? {}) as Readonly<Record<string, unknown>>);
  return TOOL_HINTS.filter(hint => annotations.every(stated => typeof stated[hint] === 'boolean'));
}
