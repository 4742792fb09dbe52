/** What forges have in common: where results of a revision are written back. */

import type { LinkTarget } from './web-page.ts';

export type Provider = 'github' | 'gitlab' | 'gitea';

export interface CommitStatus {
  /** Names it among the statuses of a commit: a later one of the same name takes its place. */
  readonly context: string;
  readonly state: 'pending' | 'success' | 'failure';
  /** One line; what a forge has no room for is cut off. */
  readonly description: string;
  /** The place in the repository that it is about, at the same commit. */
  readonly place?: LinkTarget | undefined;
}

/** A pull request, or merge request, by the number that people know it by. */
export interface PullRequest {
  readonly number: number;
  readonly isOpen: boolean;
}

export interface Comment {
  readonly id: number;
  readonly body: string;
  /** Who wrote it; undefined when the forge does not tell. */
  readonly author: number | undefined;
  /** Undefined when the forge does not tell. */
  readonly isBot: boolean | undefined;
}

/** Every call ends with a `ForgeError` when the forge refuses or cannot be reached, and with the reason of an aborted signal. */
export interface Forge {
  readonly provider: Provider;
  /** The longest comment, in characters. */
  readonly maxCommentCharacters: number;
  setStatus(commit: string, status: CommitStatus, signal: AbortSignal): Promise<void>;
  /** Those that brought the commit or have it, sorted by number; empty when there is none, or the forge has no such thing. */
  listPullRequests(commit: string, signal: AbortSignal): Promise<readonly PullRequest[]>;
  /** All of them, the oldest first. */
  comments(pullRequest: number, signal: AbortSignal): Promise<readonly Comment[]>;
  createComment(pullRequest: number, body: string, signal: AbortSignal): Promise<Comment>;
  editComment(pullRequest: number, id: number, body: string, signal: AbortSignal): Promise<void>;
  deleteComment(pullRequest: number, id: number, signal: AbortSignal): Promise<void>;
  /** The id of the user whose token it is; undefined for tokens that belong to no user. */
  ownId(signal: AbortSignal): Promise<number | undefined>;
  /** Breaks every connection. */
  close(): Promise<void>;
}
