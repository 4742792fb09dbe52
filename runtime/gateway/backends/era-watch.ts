import type { ResponseSink } from '../../mcp/response-sink.ts';
import type { BackendRequest } from './backend.ts';

/** Receives the responses that only a backend of another era sends. */
export interface EraWatch {
  /**
   * The backend refused `request` without processing it, as a backend of another era does. The watch either resends the request in that other
   * era, or calls `deliver`, which forwards the received answer.
   */
  onEraMismatch(request: BackendRequest, sink: ResponseSink, deliver: () => void): void;
  /** Reports the same as `onEraMismatch` for a request that cannot be sent again. */
  suspectMismatch(): void;
  /** The backend opened no session: another probe may find the reason. */
  notOpened(): void;
}
