/** Observes requests as traces; the implementation is loaded when a bundle configures tracing. */
import type { Envelope } from '../../mcp/envelope.ts';
import type { MessageContext, ObservedRun, OptimizerWork, SentRequest, StartedRun } from '../../mcp/handler.ts';
import type { TraceContext } from '../../mcp/trace-context.ts';
import type { TraceOfValue } from '../metrics/histogram.ts';
import type { ClientTransport } from './request-counts.ts';

export interface TracedRequest {
  readonly envelope: Envelope;
  readonly context: MessageContext;
  readonly revision: string;
  readonly transport: ClientTransport;
  /** Undefined without a session. */
  readonly sessionId: string | undefined;
}

export interface RequestEnd {
  /** Empty after a success. */
  readonly errorType: string;
  /** The code of a JSON-RPC error. */
  readonly code: string | undefined;
  /** The message that the client gets. */
  readonly message: string | undefined;
}

/** The trace of a step's call. */
export interface CallTrace {
  /** The exemplar of a request that is recorded. */
  readonly exemplar: TraceOfValue | undefined;
  /** The request is sent to a backend. Returns the trace context for the backend. */
  sentTo(sent: SentRequest): TraceContext;
  /** Called once. */
  end(end: RequestEnd): void;
}

/** The trace of one request of a client. */
export interface RequestTrace extends CallTrace {
  limited(rejectedBy: string): void;
  /** Later work and requests belong to this span. */
  optimizes(span: OptimizerWork['span']): void;
  /** The request runs a workflow. */
  runs(run: StartedRun): RunTrace;
}

/** The trace of a run of a workflow. */
export interface RunTrace extends Omit<ObservedRun, 'call'> {
  /** A call of this step. */
  call(step: string): CallTrace;
}

export interface Tracing {
  begin(request: TracedRequest): RequestTrace;
}
