/** The common interface of forges, to which results of a revision are written. */

import type { LinkTarget } from './web-page.ts';

export type Provider = 'github' | 'gitlab' | 'gitea';

export interface CommitStatus {
  /** The name of the status: a later status of the commit with the same name replaces it. */
  readonly context: string;
  readonly state: 'pending' | 'success' | 'failure';
  /** One line; truncated to the forge's limit. */
  readonly description: string;
  /** The related location in the repository, at the same commit. */
  readonly linkTarget?: LinkTarget | undefined;
}

/** A pull request or merge request, by its visible number. */
export interface PullRequest {
  readonly number: number;
  readonly isOpen: boolean;
}

export interface Comment {
  readonly id: number;
  readonly body: string;
  /** The author; undefined when the forge does not say. */
  readonly author: number | undefined;
  /** Whether the author is a bot; undefined when the forge does not say. */
  readonly isBot: boolean | undefined;
}

/** Every call throws a `ForgeError` when the forge refuses or is unreachable, and the reason of an aborted signal. */
export interface Forge {
  readonly provider: Provider;
  /** Maximum length of a comment in characters. */
  readonly maxCommentCharacters: number;
  setStatus(commit: string, status: CommitStatus, signal: AbortSignal): Promise<void>;
  /** Pull requests that introduced or contain the commit, sorted by number; empty when there are none or the forge lacks the feature. */
  listPullRequests(commit: string, signal: AbortSignal): Promise<readonly PullRequest[]>;
  /** All comments, oldest first. */
  listComments(pullRequest: number, signal: AbortSignal): Promise<readonly Comment[]>;
  createComment(pullRequest: number, body: string, signal: AbortSignal): Promise<Comment>;
  editComment(pullRequest: number, id: number, body: string, signal: AbortSignal): Promise<void>;
  deleteComment(pullRequest: number, id: number, signal: AbortSignal): Promise<void>;
  /** The id of the token's user; undefined for tokens without a user. */
  findOwnId(signal: AbortSignal): Promise<number | undefined>;
  /** Closes every connection. */
  close(): Promise<void>;
}
