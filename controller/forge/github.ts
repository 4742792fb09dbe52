/** @see https://docs.github.com/en/rest */
import { ForgeApi } from './api.ts';
import { shortened } from './description.ts';
import type { Comment, Forge } from './forge.ts';
import type { ForgeOptions } from './forge-options.ts';
import { maybeNumber, memberOf, numberOf, orNone, textOf } from './members.ts';
import { apiRoot } from './repository-location.ts';
import { webPage } from './web-page.ts';

/** Ceilings of the API, in characters. */
const MAX_DESCRIPTION = 140;
const MAX_COMMENT = 65_536;

export function createGitHub({ location, apiUrl, token, ...options }: ForgeOptions): Forge {
  const api = new ForgeApi({
    ...options,
    root: apiRoot('github', location, apiUrl),
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${token}`,
      'x-github-api-version': '2022-11-28',
    },
  });
  const repository = `/repos/${location.owner.map(encodeURIComponent).join('/')}/${encodeURIComponent(location.name)}`;
  return {
    provider: 'github',
    maxCommentCharacters: MAX_COMMENT,
    async setStatus(commit, { context, state, description, place }, signal) {
      const body = {
        state,
        context,
        description: shortened(description, MAX_DESCRIPTION),
        ...(place !== undefined && { target_url: webPage('github', location, commit, place) }),
      };
      await api.call(
        { method: 'POST', path: `${repository}/statuses/${commit}`, body, what: 'take a status of a commit' },
        signal,
      );
    },
    async pullRequestsOf(commit, signal) {
      const path = `${repository}/commits/${commit}/pulls?per_page=100`;
      const found = await api.list({ method: 'GET', path, what: 'tell the pull requests of a commit' }, signal);
      return found
        .map(one => ({ number: numberOf(one, 'number'), isOpen: memberOf(one, 'state') === 'open' }))
        .sort((a, b) => a.number - b.number);
    },
    async comments(number, signal) {
      const path = `${repository}/issues/${number}/comments?per_page=100`;
      const found = await api.list({ method: 'GET', path, what: 'list the comments of a pull request' }, signal);
      return found.map(commentOf).sort((a, b) => a.id - b.id);
    },
    async createComment(number, body, signal) {
      const path = `${repository}/issues/${number}/comments`;
      return commentOf(await api.call({ method: 'POST', path, body: { body }, what: 'take a comment' }, signal));
    },
    async editComment(_, id, body, signal) {
      const path = `${repository}/issues/comments/${id}`;
      await api.call({ method: 'PATCH', path, body: { body }, what: 'change a comment' }, signal);
    },
    async deleteComment(_, id, signal) {
      await api.call(
        { method: 'DELETE', path: `${repository}/issues/comments/${id}`, what: 'delete a comment' },
        signal,
      );
    },
    async ownId(signal) {
      // The token of an installation of an app belongs to nobody: 403.
      const user = await orNone(
        api.call({ method: 'GET', path: '/user', what: 'tell whose token it is' }, signal),
        'forbidden',
        'notFound',
      );
      return maybeNumber(user, 'id');
    },
    close: () => api.close(),
  };
}

function commentOf(value: unknown): Comment {
  const user = memberOf(value, 'user');
  return {
    id: numberOf(value, 'id'),
    body: textOf(value, 'body'),
    author: maybeNumber(user, 'id'),
    isBot: memberOf(user, 'type') === 'Bot',
  };
}
