/** Keeps a repository that stays from growing forever. */
import type { Workspace } from './workspace.ts';

/**
 * One pack of all that refs lead to; what none leads to any more is gone, and so are the places where its history was cut.
 *
 * @throws GitError
 */
export async function collectGarbage(workspace: Workspace): Promise<void> {
  await workspace.ask('repack', '-a', '-d', '-q');
  await workspace.ask('prune', '--expire=now');
}
