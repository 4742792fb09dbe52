/** @see https://docs.github.com/en/rest */
import { ForgeApi } from './api.ts';
import { truncate } from './description.ts';
import type { Comment, Forge } from './forge.ts';
import type { ForgeOptions } from './forge-options.ts';
import { createIssueComments } from './issue-comments.ts';
import { readMember, readNumber, readOptionalNumber, readText } from './members.ts';
import { fetchOwnId } from './own-id.ts';
import { getApiRoot } from './repository-location.ts';
import { formatWebPage } from './web-page.ts';

/** Limits of the API, in characters. */
const MAX_DESCRIPTION = 140;
const MAX_COMMENT = 65_536;

export function createGitHub({ location, apiUrl, token, ...options }: ForgeOptions): Forge {
  const api = new ForgeApi({
    ...options,
    root: getApiRoot('github', location, apiUrl),
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
    async setStatus(commit, { context, state, description, linkTarget }, signal) {
      const body = {
        state,
        context,
        description: truncate(description, MAX_DESCRIPTION),
        ...(linkTarget !== undefined && { target_url: formatWebPage('github', location, commit, linkTarget) }),
      };
      await api.call(
        { method: 'POST', path: `${repository}/statuses/${commit}`, body, what: 'accept a commit status' },
        signal,
      );
    },
    async listPullRequests(commit, signal) {
      const path = `${repository}/commits/${commit}/pulls?per_page=100`;
      const found = await api.list({ method: 'GET', path, what: 'list the pull requests of a commit' }, signal);
      return found
        .map(value => ({ number: readNumber(value, 'number'), isOpen: readMember(value, 'state') === 'open' }))
        .sort((a, b) => a.number - b.number);
    },
    async listComments(number, signal) {
      const path = `${repository}/issues/${number}/comments?per_page=100`;
      const found = await api.list({ method: 'GET', path, what: 'list the comments of a pull request' }, signal);
      return found.map(readComment).sort((a, b) => a.id - b.id);
    },
    ...createIssueComments(api, repository, readComment),
    // The token of an app installation has no user: GitHub then answers 403.
    findOwnId: signal => fetchOwnId(api, signal),
    close: () => api.close(),
  };
}

function readComment(value: unknown): Comment {
  const user = readMember(value, 'user');
  return {
    id: readNumber(value, 'id'),
    body: readText(value, 'body'),
    author: readOptionalNumber(user, 'id'),
    isBot: readMember(user, 'type') === 'Bot',
  };
}
