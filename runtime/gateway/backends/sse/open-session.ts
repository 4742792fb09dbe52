import type { BackendIdentity } from '../backend.ts';
import type { RemoteStream } from './remote-stream.ts';
import type { PostBox } from './request-post.ts';
import type { SseStream } from './sse-stream.ts';

/** A stream that this replica or another one has opened. */
export type SessionStream = SseStream | RemoteStream;

/** Where a request is sent, its headers, and the stream on which its answer comes. */
export type Box = PostBox & { readonly stream: SessionStream };

export interface OpenSession extends Box {
  readonly identity: BackendIdentity;
}
