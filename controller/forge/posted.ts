/** `status.lastPosted`: the commit, and hashes of what was posted. Compact, because it is stored in a cluster object. */
import { createHash } from 'node:crypto';
import type { CommitStatus } from './forge.ts';

/** In the form `v1 <commit> <hash> … comment=<hash>`. */
export interface PostedHashes {
  readonly commit: string;
  /** Hashes of statuses. */
  readonly statuses: ReadonlySet<string>;
  /** Hash of the comment. */
  readonly comment: string | undefined;
}

const VERSION = 'v1';
const COMMENT = 'comment=';

/** The hashes in `status.lastPosted`; empty when the text is about another commit or unreadable. */
export function readPosted(text: string | undefined, commit: string): PostedHashes {
  const [version, known, ...words] = (text ?? '').split(' ');
  if (version !== VERSION || known !== commit) return { commit, statuses: new Set(), comment: undefined };
  return {
    commit,
    statuses: new Set(words.filter(word => !word.startsWith(COMMENT))),
    comment: words.find(word => word.startsWith(COMMENT))?.slice(COMMENT.length),
  };
}

export function formatPosted({ commit, statuses, comment }: PostedHashes): string {
  const words = [...[...statuses].sort(), ...(comment === undefined ? [] : [`${COMMENT}${comment}`])];
  return [VERSION, commit, ...words].join(' ');
}

/**
 * The hash of a status. That of a success leaves out the pod count, which an autoscaler changes all day: posting each change would exhaust GitHub's
 * limit of 1000 statuses per commit.
 */
export function hashStatus({ context, state, description }: CommitStatus): string {
  return hashShort([context, state, state === 'success' ? null : description]);
}

/** A short hash, which is long enough to detect changes. */
export function hashShort(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 12);
}
