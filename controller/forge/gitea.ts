/** Gitea and Forgejo. @see https://docs.gitea.com/development/api-usage */
import { ForgeApi } from './api.ts';
import { truncate } from './description.ts';
import type { Comment, Forge } from './forge.ts';
import type { ForgeOptions } from './forge-options.ts';
import { createIssueComments } from './issue-comments.ts';
import { orUndefinedOn, readMember, readNumber, readOptionalNumber, readText } from './members.ts';
import { fetchOwnId } from './own-id.ts';
import { getApiRoot } from './repository-location.ts';
import { formatWebPage } from './web-page.ts';

/** Gitea's API has no limit, but its page shows only one line. */
const MAX_DESCRIPTION = 255;
const MAX_COMMENT = 65_536;

export function createGitea({ location, apiUrl, token, ...options }: ForgeOptions): Forge {
  const api = new ForgeApi({
    ...options,
    root: getApiRoot('gitea', location, apiUrl),
    headers: { authorization: `token ${token}` },
  });
  const repository = `/repos/${location.owner.map(encodeURIComponent).join('/')}/${encodeURIComponent(location.name)}`;
  return {
    provider: 'gitea',
    maxCommentCharacters: MAX_COMMENT,
    async setStatus(commit, { context, state, description, linkTarget }, signal) {
      const body = {
        state,
        context,
        description: truncate(description, MAX_DESCRIPTION),
        ...(linkTarget !== undefined && { target_url: formatWebPage('gitea', location, commit, linkTarget) }),
      };
      await api.call(
        { method: 'POST', path: `${repository}/statuses/${commit}`, body, what: 'accept a commit status' },
        signal,
      );
    },
    async listPullRequests(commit, signal) {
      // Finds the pull request that was merged as this commit; 404 means that there is none, or that this version of Gitea has no such endpoint.
      const call = {
        method: 'GET',
        path: `${repository}/commits/${commit}/pull`,
        what: 'list the pull requests of a commit',
      } as const;
      const found = await orUndefinedOn(api.call(call, signal), 'notFound');
      if (found === undefined) return [];
      return [{ number: readNumber(found, 'number'), isOpen: readMember(found, 'state') === 'open' }];
    },
    async listComments(number, signal) {
      const call = {
        method: 'GET',
        path: `${repository}/issues/${number}/comments`,
        what: 'list the comments of a pull request',
      } as const;
      return (await api.list(call, signal)).map(readComment).sort((a, b) => a.id - b.id);
    },
    ...createIssueComments(api, repository, readComment),
    // Gitea answers 403 to a token without the scope read:user.
    findOwnId: signal => fetchOwnId(api, signal),
    close: () => api.close(),
  };
}

function readComment(value: unknown): Comment {
  return {
    id: readNumber(value, 'id'),
    body: readText(value, 'body'),
    author: readOptionalNumber(readMember(value, 'user'), 'id'),
    isBot: undefined,
  };
}
