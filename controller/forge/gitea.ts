/** Gitea and Forgejo. @see https://docs.gitea.com/development/api-usage */
import { ForgeApi } from './api.ts';
import { shortened } from './description.ts';
import type { Comment, Forge } from './forge.ts';
import type { ForgeOptions } from './forge-options.ts';
import { maybeNumber, memberOf, numberOf, orNone, textOf } from './members.ts';
import { apiRoot } from './repository-location.ts';
import { webPage } from './web-page.ts';

/** It stores any length, and shows one line. */
const MAX_DESCRIPTION = 255;
const MAX_COMMENT = 65_536;

export function createGitea({ location, apiUrl, token, ...options }: ForgeOptions): Forge {
  const api = new ForgeApi({
    ...options,
    root: apiRoot('gitea', location, apiUrl),
    headers: { authorization: `token ${token}` },
  });
  const repository = `/repos/${location.owner.map(encodeURIComponent).join('/')}/${encodeURIComponent(location.name)}`;
  return {
    provider: 'gitea',
    maxCommentCharacters: MAX_COMMENT,
    async setStatus(commit, { context, state, description, place }, signal) {
      const body = {
        state,
        context,
        description: shortened(description, MAX_DESCRIPTION),
        ...(place !== undefined && { target_url: webPage('gitea', location, commit, place) }),
      };
      await api.call(
        { method: 'POST', path: `${repository}/statuses/${commit}`, body, what: 'take a status of a commit' },
        signal,
      );
    },
    async pullRequestsOf(commit, signal) {
      // The one that was merged as this commit; 404 says that there is none, and so does a version without this path.
      const call = {
        method: 'GET',
        path: `${repository}/commits/${commit}/pull`,
        what: 'tell the pull request of a commit',
      } as const;
      const found = await orNone(api.call(call, signal), 'notFound');
      if (found === undefined) return [];
      return [{ number: numberOf(found, 'number'), isOpen: memberOf(found, 'state') === 'open' }];
    },
    async comments(number, signal) {
      const call = {
        method: 'GET',
        path: `${repository}/issues/${number}/comments`,
        what: 'list the comments of a pull request',
      } as const;
      return (await api.list(call, signal)).map(commentOf).sort((a, b) => a.id - b.id);
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
      // Without the scope read:user: 403.
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
  return {
    id: numberOf(value, 'id'),
    body: textOf(value, 'body'),
    author: maybeNumber(memberOf(value, 'user'), 'id'),
    isBot: undefined,
  };
}
