/** What `status.lastPosted` says: for which commit, and what of it. Compact, since it stands in an object of the cluster. */
import { createHash } from 'node:crypto';
import type { CommitStatus } from './forge.ts';

/** As in `v1 <commit> <hash> … comment=<hash>`. */
export interface PostedHashes {
  readonly commit: string;
  /** Hashes of statuses. */
  readonly statuses: ReadonlySet<string>;
  /** Hash of the comment. */
  readonly comment: string | undefined;
}

const VERSION = 'v1';
const COMMENT = 'comment=';

/** Nothing is posted for a commit of which nothing is known, and what cannot be read is as good as nothing. */
export function readPosted(text: string | undefined, commit: string): PostedHashes {
  const [version, known, ...words] = (text ?? '').split(' ');
  if (version !== VERSION || known !== commit) return { commit, statuses: new Set(), comment: undefined };
  return {
    commit,
    statuses: new Set(words.filter(word => !word.startsWith(COMMENT))),
    comment: words.find(word => word.startsWith(COMMENT))?.slice(COMMENT.length),
  };
}

export function postedText({ commit, statuses, comment }: PostedHashes): string {
  const words = [...[...statuses].sort(), ...(comment === undefined ? [] : [`${COMMENT}${comment}`])];
  return [VERSION, commit, ...words].join(' ');
}

/**
 * A success is posted once: with the number of pods, which an autoscaler changes all day, GitHub's 1000 statuses per commit would run out.
 */
export function statusHash({ context, state, description }: CommitStatus): string {
  return shortHash([context, state, state === 'success' ? null : description]);
}

/** Enough to tell what changed from what did not. */
export function shortHash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 12);
}
