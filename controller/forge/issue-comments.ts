import type { ForgeApi } from './api.ts';
import type { Comment, Forge } from './forge.ts';

/**
 * Pull request comments in GitHub's API, which Gitea shares: a pull request is an issue there, and each comment has an id.
 * @param repository its API path
 */
export function createIssueComments(
  api: ForgeApi,
  repository: string,
  toComment: (value: unknown) => Comment,
): Pick<Forge, 'createComment' | 'editComment' | 'deleteComment'> {
  return {
    async createComment(number, body, signal) {
      const path = `${repository}/issues/${number}/comments`;
      return toComment(await api.call({ method: 'POST', path, body: { body }, what: 'accept a comment' }, signal));
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
  };
}
