/** @see https://docs.gitlab.com/api/rest/ */
import { ForgeApi } from './api.ts';
import { truncate } from './description.ts';
import type { Comment, CommitStatus, Forge } from './forge.ts';
import { ForgeError } from './forge-error.ts';
import type { ForgeOptions } from './forge-options.ts';
import { readMember, readNumber, readOptionalNumber, readText } from './members.ts';
import { fetchOwnId } from './own-id.ts';
import { getApiRoot } from './repository-location.ts';
import { formatWebPage } from './web-page.ts';

/** Limits of the API, in characters. */
const MAX_DESCRIPTION = 255;
const MAX_COMMENT = 1_000_000;

const STATES: { readonly [S in CommitStatus['state']]: string } = {
  pending: 'pending',
  success: 'success',
  failure: 'failed',
};

/** The text with which GitLab refuses to set a pending status to pending again, with 400. */
const IS_SO_ALREADY = /Cannot transition status/i;

export function createGitLab({ location, apiUrl, token, ...options }: ForgeOptions): Forge {
  const api = new ForgeApi({
    ...options,
    root: getApiRoot('gitlab', location, apiUrl),
    headers: { 'private-token': token },
  });
  const project = `/projects/${encodeURIComponent([...location.owner, location.name].join('/'))}`;
  const formatNotesPath = (number: number) => `${project}/merge_requests/${number}/notes`;
  return {
    provider: 'gitlab',
    maxCommentCharacters: MAX_COMMENT,
    async setStatus(commit, { context, state, description, linkTarget }, signal) {
      const body = {
        state: STATES[state],
        name: context,
        description: truncate(description, MAX_DESCRIPTION),
        ...(linkTarget !== undefined && { target_url: formatWebPage('gitlab', location, commit, linkTarget) }),
      };
      try {
        await api.call(
          { method: 'POST', path: `${project}/statuses/${commit}`, body, what: 'accept a commit status' },
          signal,
        );
      } catch (error) {
        if (!(error instanceof ForgeError && error.status === 400 && IS_SO_ALREADY.test(error.detail))) throw error;
      }
    },
    async listPullRequests(commit, signal) {
      const path = `${project}/repository/commits/${commit}/merge_requests?per_page=100`;
      const found = await api.list({ method: 'GET', path, what: 'list the merge requests of a commit' }, signal);
      return found
        .map(value => ({ number: readNumber(value, 'iid'), isOpen: readMember(value, 'state') === 'opened' }))
        .sort((a, b) => a.number - b.number);
    },
    async listComments(number, signal) {
      const path = `${formatNotesPath(number)}?sort=asc&order_by=created_at&per_page=100`;
      const found = await api.list({ method: 'GET', path, what: 'list the comments of a merge request' }, signal);
      return found
        .filter(note => readMember(note, 'system') !== true)
        .map(readComment)
        .sort((a, b) => a.id - b.id);
    },
    async createComment(number, body, signal) {
      return readComment(
        await api.call(
          { method: 'POST', path: formatNotesPath(number), body: { body }, what: 'accept a comment' },
          signal,
        ),
      );
    },
    async editComment(number, id, body, signal) {
      await api.call(
        { method: 'PUT', path: `${formatNotesPath(number)}/${id}`, body: { body }, what: 'change a comment' },
        signal,
      );
    },
    async deleteComment(number, id, signal) {
      await api.call({ method: 'DELETE', path: `${formatNotesPath(number)}/${id}`, what: 'delete a comment' }, signal);
    },
    findOwnId: signal => fetchOwnId(api, signal),
    close: () => api.close(),
  };
}

function readComment(value: unknown): Comment {
  return {
    id: readNumber(value, 'id'),
    body: readText(value, 'body'),
    author: readOptionalNumber(readMember(value, 'author'), 'id'),
    isBot: undefined,
  };
}
