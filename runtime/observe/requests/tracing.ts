/** The interface for tracing requests. The implementation is loaded only if a bundle configures tracing. */
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
  /** The trace of the request for exemplars of metrics; undefined if the request is not recorded. */
  readonly exemplar: TraceOfValue | undefined;
  /** The request is sent to a backend. Returns the trace context for the backend. */
  sentTo(sent: SentRequest): TraceContext;
  /** Called once. */
  end(end: RequestEnd): void;
}

/** The trace of one request of a client. */
export interface RequestTrace extends CallTrace {
  limited(rejectedBy: string): void;
  /** Begins the span of the optimizer's work, to which later work and requests belong. */
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
