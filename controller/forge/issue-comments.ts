import type { ForgeApi } from './api.ts';
import type { Comment, Forge } from './forge.ts';

/**
 * Comments of pull requests as GitHub has them, and Gitea after it: a pull request is an issue there, and a comment has an id of its own.
 *
 * @param repository its path in the API
 */
export function issueComments(
  api: ForgeApi,
  repository: string,
  toComment: (value: unknown) => Comment,
): Pick<Forge, 'createComment' | 'editComment' | 'deleteComment'> {
  return {
    async createComment(number, body, signal) {
      const path = `${repository}/issues/${number}/comments`;
      return toComment(await api.call({ method: 'POST', path, body: { body }, what: 'take a comment' }, signal));
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
