import type { GatewayConfig, VirtualMCPServerSpec } from '#schemas';
import type { Conflicts } from '../conflicts.ts';
import type { GroupReference } from '../group.ts';
import type { Incoming } from '../incoming.ts';
import { NAMING, type PropNames } from '../known-props.ts';
import type { Outgoing } from '../outgoing.ts';
import type { GatewayPart } from '../part.ts';
import type { NamingProps } from '../resource.ts';
import type { Authorization } from './authorization.ts';

/** Fields of the spec that are taken as they are. */
type PlainSpec = Pick<
  VirtualMCPServerSpec,
  | 'embeddingServerRef'
  | 'imagePullSecrets'
  | 'passthroughHeaders'
  | 'podTemplateSpec'
  | 'replicas'
  | 'serviceAccount'
  | 'serviceType'
  | 'sessionAffinity'
>;

/** Fields of `spec.config` that are taken as they are. */
type PlainConfig = Pick<
  GatewayConfig,
  'audit' | 'codeMode' | 'metadata' | 'operational' | 'optimizer' | 'rateLimiting'
>;

export interface GatewayProps extends NamingProps, PlainSpec, PlainConfig {
  /** The group whose members are the backends. */
  readonly group: GroupReference;
  /** Who may connect. There is no default: an anonymous gateway has to be spelled out. */
  readonly incoming: Incoming;
  /** Who decides what callers may do. Default: the grants of the program; without any, callers may do nothing. */
  readonly authorization?: Authorization;
  /** Credentials toward backends. Default: what each backend asks for. */
  readonly outgoing?: Outgoing;
  /** How tools of equal names are told apart. Default: `Conflicts.prefix()`. */
  readonly conflicts?: Conflicts;
  /**
   * Whether backends of which nothing is exposed offer all their tools, those that will be added to the group included. Default:
   * `deny`.
   */
  readonly defaultToolVisibility?: 'deny' | 'allow';
  /** Offers no tool of any backend; workflows may still call them. Default: false. */
  readonly excludeAllTools?: boolean;
  /** Where MCP sessions live. Default: in memory. */
  readonly sessions?: GatewayPart;
  /** Where traces and metrics go. Default: nowhere. */
  readonly telemetry?: GatewayPart;
}

/** Type-checked: a field that is added above and forgotten here is an error. */
const PLAIN_SPEC: { readonly [F in keyof PlainSpec]-?: true } = {
  embeddingServerRef: true,
  imagePullSecrets: true,
  passthroughHeaders: true,
  podTemplateSpec: true,
  replicas: true,
  serviceAccount: true,
  serviceType: true,
  sessionAffinity: true,
};

const PLAIN_CONFIG: { readonly [F in keyof PlainConfig]-?: true } = {
  audit: true,
  codeMode: true,
  metadata: true,
  operational: true,
  optimizer: true,
  rateLimiting: true,
};

/** All of them. */
export const GATEWAY_PROPS: PropNames<GatewayProps> = {
  ...NAMING,
  ...PLAIN_SPEC,
  ...PLAIN_CONFIG,
  group: true,
  incoming: true,
  authorization: true,
  outgoing: true,
  conflicts: true,
  defaultToolVisibility: true,
  excludeAllTools: true,
  sessions: true,
  telemetry: true,
};

export const plainSpec = (props: PlainSpec): PlainSpec => picked(props, PLAIN_SPEC);
export const plainConfig = (props: PlainConfig): PlainConfig => picked(props, PLAIN_CONFIG);

function picked<P extends object>(props: P, fields: object): object {
  return Object.fromEntries(Object.entries(props).filter(([name, value]) => name in fields && value !== undefined));
}
