/** The public face of `lintel/cdk8s`. */
export { anonymous } from './anonymous.ts';
export {
  type AnyBackend,
  Backend,
  type BackendResource,
  type EntryProps,
  type ExistingProps,
  type InlineBackend,
  type InlineProps,
  type NoTools,
  type Prompt,
  type RemoteProps,
  type ServerProps,
  type ToolNameOf,
} from './backend.ts';
export { Caller, type CallerTest } from './caller.ts';
export { type ConflictStrategy, Conflicts } from './conflicts.ts';
export { Gateway, type GrantOptions, type OwnToolDefinition } from './gateway/gateway.ts';
export type { GatewayProps } from './gateway/gateway-props.ts';
export type { Presentation } from './gateway/offer.ts';
export type { Callable, Grant, OwnTool, UriPrefix } from './grants/grant.ts';
export { Group, type GroupProps, type GroupReference } from './group.ts';
export type { Incoming, IncomingParts } from './incoming.ts';
export { LintelObject, type LintelObjectProps } from './lintel-object.ts';
export type { BoundStrategy, Outgoing, OutgoingStrategy } from './outgoing.ts';
export type { BoundPart, GatewayPart } from './part.ts';
export type { NamingProps } from './resource.ts';
export {
  type LockedBackend,
  lockedBackend,
  type Tool,
  type ToolSignature,
  type ToolSignatures,
  type ToolsOf,
  toolsOf,
  type ValueKind,
} from './tool.ts';
export { Tools, type ToolTest } from './tools.ts';
