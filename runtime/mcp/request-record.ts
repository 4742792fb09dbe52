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
  /** The message that the request carries was read. */
  message(envelope: Envelope): void;
  /**
   * The request carries several messages, each with its own record in place of this one.
   * @param envelope undefined for an unreadable message
   */
  member(envelope: Envelope | undefined): RequestRecord;
  /** Creates the record of a message that reached another process, but belongs to this stream's session: only this process records it. */
  takenOver(envelope: Envelope): RequestRecord;
  /** The message is being passed to another process. */
  handing(): void;
  /** No other process has accepted the message. */
  notHanded(): void;
  /** Another process has accepted the message of this request and records it, so this record is dropped. */
  handedOn(): void;
  /** The request has opened a GET stream or the stream of a subscription. */
  stream(): void;
  /** Wraps the answer of the request, so that its end also ends this record. */
  answer(answer: ClientResponder): ClientResponder;
  /** A workflow that the request called has caused an event. */
  noted(event: WorkflowEvent): void;
  /** The policies have decided, or no policy applied. */
  decided(decision: Decision): void;
  /** The request goes to this backend, which knows its target by this name. */
  routed(backend: string, originalName: string): void;
  /** The request concerns this backend; the backend's own name of the target is unknown. */
  concerns(backend: string): void;
  /** A rate limit rejected the call. */
  limited(limit: { readonly scope: string; readonly operation: string }): void;
  /** The gateway answers the request with an error of its own. */
  refused(code: number | undefined, message: string): void;
}

/** Finds the record of an HTTP request. */
export interface RequestRecords {
  /** Undefined for a request without a record. */
  of(req: IncomingMessage): RequestRecord | undefined;
}
