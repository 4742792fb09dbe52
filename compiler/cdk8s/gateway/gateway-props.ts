import type { GatewayConfig, VirtualMCPServerSpec } from '#schemas';
import type { Conflicts } from '../conflicts.ts';
import type { GroupReference } from '../group.ts';
import type { Incoming } from '../incoming-auth/incoming.ts';
import { NAMING, type PropNames } from '../known-props.ts';
import type { Outgoing } from '../outgoing.ts';
import type { GatewayPart } from '../part.ts';
import type { NamingProps } from '../resource.ts';
import type { Authorization } from './authorization.ts';

/** Fields of the spec that are passed through unchanged. */
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

/** Fields of `spec.config` that are passed through unchanged. */
type PlainConfig = Pick<
  GatewayConfig,
  'audit' | 'codeMode' | 'metadata' | 'operational' | 'optimizer' | 'rateLimiting'
>;

export interface GatewayProps extends NamingProps, PlainSpec, PlainConfig {
  /** The group whose members are the backends. */
  readonly group: GroupReference;
  /** Who may connect. There is no default: an anonymous gateway must be explicit. */
  readonly incoming: Incoming;
  /** Where permissions come from. Default: the program's grants; without grants, callers may do nothing. */
  readonly authorization?: Authorization;
  /** Credentials for backends. Default: each backend's own. */
  readonly outgoing?: Outgoing;
  /** How name collisions of tools are resolved. Default: `Conflicts.prefix()`. */
  readonly conflicts?: Conflicts;
  /**
   * Whether the gateway offers all tools of a backend without exposed tools, including a backend that joins the group later. Default: `deny`.
   */
  readonly defaultToolVisibility?: 'deny' | 'allow';
  /** Offers no tool of any backend; workflows may still call them. Default: false. */
  readonly excludeAllTools?: boolean;
  /** Where MCP sessions are stored. Default: in memory. */
  readonly sessions?: GatewayPart;
  /** Where traces and metrics are sent. Default: nowhere. */
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

/** All props. */
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
