/** Reads the parts of a gateway that its props represent. */

import type { GatewayConfig, VirtualMCPServerSpec } from '#schemas';
import { getMember, isObject } from '#schemas';
import { type GatewayProps, plainConfig, plainSpec } from '../../../cdk8s/gateway/gateway-props.ts';
import { checkStructure } from '../../../check/structural.ts';
import { isGatewayAuthType } from '../../../lower/outgoing/strategies.ts';
import { chooseIncomingAuth, type EntityClaims } from '../../../resolve/choose-incoming-auth.ts';
import { KINDS } from '../../../source/kinds.ts';
import type { Path } from '../../../source/source-document.ts';
import type { ExportedObject } from '../../exported-object.ts';
import { keepsNull } from '../../nulls.ts';
import { type Code, type CommentedMember, plain } from '../../typescript/code.ts';
import type { ValueWriter } from '../../value-code.ts';
import type { EmitContext } from '../construct.ts';
import { NotRepresentable } from '../not-representable.ts';
import { emitAuthServerIncoming } from './auth-server-incoming.ts';
import { emitAuthorization } from './authorization.ts';
import { Backends } from './backends.ts';
import { type EmittedTool, emitTools } from './composite-tools.ts';
import { type EmittedConflicts, emitAggregation, emitConflicts } from './conflicts.ts';
import { emitText } from './gateway-statement.ts';
import { emitIncoming } from './incoming.ts';
import { type EmittedOutgoing, emitOutgoing } from './outgoing.ts';
import { type EmittedPart, emitSessions, emitTelemetry } from './parts.ts';

export interface ReadGateway {
  readonly spec: VirtualMCPServerSpec;
  readonly backends: Backends;
  readonly ownTools: readonly EmittedTool[];
  readonly conflicts: EmittedConflicts;
  readonly outgoing: EmittedOutgoing;
  readonly parts: readonly EmittedPart[];
  /** The props as the draft gets them. In the program, they refer to constructs that are created above. */
  readonly props: GatewayProps;
  readonly policies: readonly string[];
  /** The path of the list of policies in the document. */
  readonly path: Path;
  readonly groupType: string;
  /** The other props, except those for names, as TypeScript. */
  members(writer: ValueWriter): readonly CommentedMember[];
}

/** @throws NotRepresentable */
export function readGateway(context: EmitContext): ReadGateway {
  const spec = readSpec(context.object);
  const config = spec.config ?? {};
  const { aggregation = {} } = config;
  const target = findTargets(context);
  const { policies: chosen } = chooseIncomingAuth(spec);
  const claims: EntityClaims = chosen === undefined || chosen.type === 'shared' ? {} : chosen.claims;
  const authorization = emitAuthorization(chosen, name => target('MCPAuthzConfig', name).name);
  const incoming =
    spec.authServerConfig === undefined
      ? emitIncoming(spec, claims, name => target('MCPOIDCConfig', name))
      : emitAuthServerIncoming(spec, spec.authServerConfig, claims, context);
  const outgoing = emitOutgoing(spec, name => target('MCPExternalAuthConfig', name));
  const conflicts = emitConflicts(aggregation);
  const { sessionStorage, telemetryConfigRef } = spec;
  const parts = [
    ...(sessionStorage === undefined ? [] : [emitSessions(sessionStorage)]),
    ...(telemetryConfigRef === undefined
      ? []
      : [emitTelemetry(telemetryConfigRef, target('MCPTelemetryConfig', telemetryConfigRef.name))]),
  ];
  const backends = new Backends(context, spec);
  const workloads = (aggregation.tools ?? []).map(({ workload }) => workload);
  for (const name of [...conflicts.order, ...workloads, ...outgoing.named]) backends.know(name);
  return {
    spec,
    backends,
    ownTools: emitTools(spec, backends, context),
    conflicts,
    outgoing,
    parts,
    props: {
      group: { name: spec.groupRef.name },
      incoming: incoming.incoming,
      authorization: authorization.authorization,
      conflicts: conflicts.conflicts,
      defaultToolVisibility: aggregation.defaultToolVisibility ?? 'allow',
      excludeAllTools: aggregation.excludeAllTools === true,
      ...(outgoing.source !== undefined && { outgoing: { source: outgoing.source } }),
      ...plainSpec(spec),
      ...plainConfig(config),
    },
    policies: authorization.policies,
    path: authorization.path,
    groupType: claims.groupEntityType ?? 'Group',
    members: writer => {
      const member = (key: string, code: Code | undefined, ...path: Path) =>
        code === undefined ? [] : [writer.member(key, code, path)];
      return [
        ...member('group', plain(backends.group), 'spec', 'groupRef'),
        ...member('incoming', incoming.code, ...incoming.path),
        ...member('authorization', authorization.code, ...incoming.path),
        ...member('outgoing', outgoing.code(writer, backends.written.length > 0), 'spec', 'outgoingAuth'),
        ...emitAggregation(conflicts, aggregation, writer, name => plain(backends.getConstant(name))),
        ...parts.map(part => part.member(writer)),
        ...writer.members(plainSpec(spec), ['spec']),
        ...writer.members(plainConfig(config), ['spec', 'config']),
      ];
    },
  };
}

const KIND = 'VirtualMCPServer';

/** The fields of `config` for which this folder has code. */
const EMITTED_FIELDS: readonly (keyof GatewayConfig)[] = [
  'aggregation',
  'backends',
  'compositeToolRefs',
  'compositeTools',
  'incomingAuth',
  'outgoingAuth',
];

/**
 * Reads the spec of a gateway, which must be valid under its schema.
 *
 * @throws NotRepresentable
 */
function readSpec({ name, value }: ExportedObject): VirtualMCPServerSpec {
  const spec = withoutNulls(value.spec ?? {}, ['spec']) as VirtualMCPServerSpec;
  const schema = KINDS.get(KIND)?.spec ?? {};
  if (checkStructure(schema, spec, 1).length > 0)
    throw new NotRepresentable('the spec does not match the schema of its kind.');
  const { incomingAuth, config = {} } = spec;
  if (incomingAuth === undefined && config.incomingAuth === undefined)
    throw new NotRepresentable('`incomingAuth` is missing.');
  // These fields repeat the object's name and `groupRef`, so the program does not write them.
  const { name: server = '', groupRef: group, ...others } = config;
  if (server !== '' && server !== name) throw new NotRepresentable('`config.name` is not the name of the object.');
  if (group !== undefined && group !== spec.groupRef.name)
    throw new NotRepresentable('`config.groupRef` and `groupRef` name different groups.');
  const strange = Object.keys(others).find(
    field => !EMITTED_FIELDS.some(emitted => emitted === field) && !Object.hasOwn(plainConfig(config), field),
  );
  if (strange !== undefined) throw new NotRepresentable(`there is no prop for \`config.${strange}\`.`);
  return { ...spec, ...(spec.config !== undefined && { config: others }) };
}

/** A null field counts as missing, except in free-form fields. */
function withoutNulls(value: unknown, path: Path): unknown {
  if (Array.isArray(value)) return value.map((item, index) => withoutNulls(item, [...path, index]));
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([key, member]) => member !== null || keepsNull(KIND, [...path, key]));
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNulls(member, [...path, key])]));
}

/** Returns a function that finds the program's reference to an object that a gateway uses. */
function findTargets({ object, program }: EmitContext): (kind: string, name: string) => ReferencedObject {
  return (kind, name) => {
    const target = program.findEarlier(object, kind, name);
    const constant = program.findConstant(object, kind, name);
    const type = getMember(target?.value.spec, 'type');
    const fits = kind !== 'MCPExternalAuthConfig' || isGatewayAuthType(`${type}`);
    return {
      constant: fits ? constant : undefined,
      name: target === undefined ? emitText(name) : plain(`${program.getConstant(target)}.name`),
    };
  };
}

/** How the program refers to an object that a gateway uses. */
export interface ReferencedObject {
  /** The const of its construct; undefined if the object is written out, is in no source, or is of a type that gateways do not accept. */
  readonly constant: string | undefined;
  /** The expression for the object's name. */
  readonly name: Code;
}
