/** What observes requests as traces; the implementation is loaded where a bundle asks for it. */
import type { Envelope } from '../../mcp/envelope.ts';
import type { MessageContext, SentRequest } from '../../mcp/handler.ts';
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
  /** Of a JSON-RPC error. */
  readonly code: string | undefined;
  /** What the client is told. */
  readonly message: string | undefined;
}

/** One request as a trace sees it. */
export interface RequestTrace {
  /** Of a request that is recorded. */
  readonly exemplar: TraceOfValue | undefined;
  /** The request goes to a backend. Returns what it takes along. */
  sentTo(sent: SentRequest): TraceContext;
  limited(rejectedBy: string): void;
  /** Called once. */
  end(end: RequestEnd): void;
}

export interface Tracing {
  begin(request: TracedRequest): RequestTrace;
}
