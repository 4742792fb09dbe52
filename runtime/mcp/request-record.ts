/** The record of a request for the audit log, as the code that handles the request fills it in. */
import type { IncomingMessage } from 'node:http';
import type { AuditEvent } from '#schemas';
import type { Decision } from '../auth/authorization/authorizer.ts';
import type { Identity } from '../auth/identity.ts';
import type { ClientTraits } from './client-traits.ts';
import type { Envelope } from './envelope.ts';
import type { ClientResponder } from './handler.ts';

/** An event of a workflow's run. */
export interface WorkflowEvent {
  readonly type: Extract<AuditEvent, `vmcp_workflow_${string}`>;
  readonly outcome: 'success' | 'failure';
  readonly target: { readonly [member: string]: unknown };
  readonly extra: { readonly [member: string]: unknown };
}

/** Records the events of workflows' runs. */
export interface WorkflowEvents {
  noted(event: WorkflowEvent): void;
}

/** The record of one running request: of an HTTP request, or of one message of a batch. */
export interface RequestRecord {
  identity: Identity | undefined;
  traits: Pick<ClientTraits, 'clientInfo'> | undefined;
  /** Whether the message belongs to the stateless revision. */
  isStateless: boolean;
  /** Records events of the workflow's run that happen after the end of this request. */
  readonly afterwards: WorkflowEvents;
  /** Called when the message of the request has been read. */
  message(envelope: Envelope): void;
  /**
   * Called for each message of a request that carries several. Each message has a record of its own, in place of this one.
   * @param envelope undefined for an unreadable message
   */
  member(envelope: Envelope | undefined): RequestRecord;
  /** Creates the record of a message that reached another process, but belongs to this stream's session: only this process records it. */
  takenOver(envelope: Envelope): RequestRecord;
  /** Called before the message is passed to another process. */
  handing(): void;
  /** Called when no other process has accepted the message. */
  notHanded(): void;
  /** Called when another process has accepted the message of this request. That process records the message, so this record is dropped. */
  handedOn(): void;
  /** Called when the request has opened a GET stream or the stream of a subscription. */
  stream(): void;
  /** Wraps the answer of the request, so that its end also ends this record. */
  answer(answer: ClientResponder): ClientResponder;
  /** Called for each event of a workflow that the request called. */
  noted(event: WorkflowEvent): void;
  /** Called when the policies have decided, or when no policy applies. */
  decided(decision: Decision): void;
  /** Called when the request goes to this backend, which knows the request's target by this name. */
  routed(backend: string, originalName: string): void;
  /** Called when the request concerns this backend, but the backend's own name for the target is unknown. */
  concerns(backend: string): void;
  /** Called when a rate limit has rejected the call. */
  limited(limit: { readonly scope: string; readonly operation: string }): void;
  /** Called when the gateway answers the request with an error of its own. */
  refused(code: number | undefined, message: string): void;
}

/** Finds the record of an HTTP request. */
export interface RequestRecords {
  /** Undefined for a request without a record. */
  of(req: IncomingMessage): RequestRecord | undefined;
}
