/**
 * Finds what holds for a gateway even though errors leave parts of it unknown. Areas are parts of its spec that most rules about whole
 * gateways do not read. A field outside of all areas may decide which tools exist, and every rule depends on it.
 */
import type { VirtualMCPServerSpec } from '#schemas';
import type { GatewayModel } from '../../analysis/gateway/model.ts';
import { startsWith } from '../../check/cel/rule-reads.ts';
import { findSchemaAt } from '../../check/schema-at.ts';
import type { DiagnosticCode } from '../../diagnostics/codes.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Resource } from '../../resolve/inventory.ts';
import { KINDS } from '../../source/kinds.ts';
import type { Path } from '../../source/source-document.ts';
import { GATEWAY_RULES, NEED_ALL_BACKENDS, READ_AREAS } from '../generated/rules.ts';
import { AREAS, type Area, type GatewayRule } from './rule.ts';

export type { Area } from './rule.ts';

const FIELDS: { readonly [A in Area]: readonly Path[] } = {
  'sign-in': [['incomingAuth'], ['authServerConfig'], ['config', 'incomingAuth']],
  // The source of outgoing authentication decides which backends there are.
  credentials: [
    ['outgoingAuth', 'default'],
    ['outgoingAuth', 'backends'],
    ['config', 'outgoingAuth', 'default'],
    ['config', 'outgoingAuth', 'backends'],
    ['passthroughHeaders'],
    ['config', 'passthroughHeaders'],
  ],
  operation: [
    ['sessionStorage'],
    ['telemetryConfigRef'],
    ['config', 'audit'],
    ['config', 'operational'],
    ['config', 'rateLimiting'],
    ['config', 'sessionStorage'],
    ['config', 'telemetry'],
  ],
  pods: [
    ['replicas'],
    ['serviceType'],
    ['sessionAffinity'],
    ['serviceAccount'],
    ['podTemplateSpec'],
    ['imagePullSecrets'],
  ],
};

/** Findings about the arguments of tools, from rules that run even if some tools are unknown. */
const NEED_ALL_TOOLS: ReadonlySet<DiagnosticCode> = new Set(['LNT5004', 'LNT5010', 'LNT5011']);

export interface UnknownParts {
  /** The areas that errors make unknown. */
  readonly areas?: ReadonlySet<Area>;
  /** Whether errors of other objects may hide backends. */
  readonly hasBackends?: boolean;
}

/** The findings about a gateway that do not depend on unknown parts. */
export function runGatewayRules(
  gateway: GatewayModel,
  { areas, hasBackends = false }: UnknownParts = {},
): Diagnostic[] {
  const rules = listRulesWithout(areas ?? new Set());
  if (!hasBackends) return rules.flatMap(rule => rule(gateway));
  const sure = rules.filter(rule => !NEED_ALL_BACKENDS.has(rule)).flatMap(rule => rule(gateway));
  return sure.filter(({ code }) => !NEED_ALL_TOOLS.has(code));
}

/** The rules that read none of these areas. */
export function listRulesWithout(areas: ReadonlySet<Area>): readonly GatewayRule[] {
  return GATEWAY_RULES.filter(rule => !READ_AREAS.get(rule)?.some(area => areas.has(area)));
}

/** A gateway without its unknown areas. */
export interface KnownPart {
  readonly areas: ReadonlySet<Area>;
  readonly gateway: Resource<VirtualMCPServerSpec>;
  /** The fields that were removed. */
  readonly remaining: readonly Path[];
}

/**
 * A gateway without the areas that contain these paths, which begin at the root of the object. Undefined when some path is outside of all
 * areas. A field that does not exist is skipped: the field that it was meant to be is among the paths.
 */
export function findKnownPart(
  gateway: Resource<VirtualMCPServerSpec>,
  doubtful: readonly Path[],
): KnownPart | undefined {
  const inSpec = doubtful.filter(([root, part]) => root !== 'metadata' || part !== 'labels');
  if (inSpec.some(([root]) => root !== 'spec')) return undefined;
  const schema = KINDS.get(gateway.kind)?.spec;
  const isField = ([, ...path]: Path) => schema !== undefined && findSchemaAt(schema, path) !== undefined;
  const found = inSpec
    .filter(isField)
    .map(path => AREAS.find(area => FIELDS[area].some(field => startsWith(path, ['spec', ...field]))));
  if (found.includes(undefined)) return undefined;
  const areas = new Set(found as Area[]);
  const others = inSpec.filter(path => !isField(path)).map(([, ...path]) => path);
  const fields = [...AREAS.filter(area => areas.has(area)).flatMap(area => FIELDS[area]), ...others];
  const strip = (spec: object) => {
    const rest = fields.reduce<object>(withoutMember, spec);
    return areas.has('sign-in') ? { ...rest, incomingAuth: { type: 'anonymous' } } : rest;
  };
  const spec = strip(gateway.spec) as VirtualMCPServerSpec;
  const authored = strip((gateway.authored ?? {}) as object);
  return { areas, gateway: { ...gateway, spec, authored }, remaining: fields.map(field => ['spec', ...field]) };
}

function withoutMember(value: object, path: Path): object {
  const [first, ...below] = path;
  if (first === undefined) return value;
  const rest = (member: unknown) =>
    typeof member === 'object' && member !== null ? withoutMember(member, below) : member;
  if (Array.isArray(value)) return value.map((item, at) => (at === first && below.length > 0 ? rest(item) : item));
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      if (name !== first) return [[name, member]];
      return below.length === 0 ? [] : [[name, rest(member)]];
    }),
  );
}
