import type { BackendIdentity } from '../backend.ts';
import type { JoinedStream } from './joined-stream.ts';
import type { PostBox } from './request-post.ts';
import type { SseStream } from './sse-stream.ts';

/** A stream of this replica, or another one's. */
export type SessionStream = SseStream | JoinedStream;

/** What a request is sent with, and the stream that its answer comes on. */
export type Box = PostBox & { readonly stream: SessionStream };

export interface OpenSession extends Box {
  readonly identity: BackendIdentity;
}
