import type { BackendIdentity } from '../backend.ts';
import type { RemoteStream } from './remote-stream.ts';
import type { PostBox } from './request-post.ts';
import type { SseStream } from './sse-stream.ts';

/** A stream that this replica or another one holds. */
export type SessionStream = SseStream | RemoteStream;

/** The address and headers of a request, and the stream of its answer. */
export type Box = PostBox & { readonly stream: SessionStream };

export interface OpenSession extends Box {
  readonly identity: BackendIdentity;
}
