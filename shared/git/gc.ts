/** Prevents a kept repository from growing forever. */
import type { Workspace } from './workspace.ts';

/**
 * Creates one pack of everything reachable from refs; unreachable objects and shallow boundaries are deleted.
 * @throws GitError
 */
export async function collectGarbage(workspace: Workspace): Promise<void> {
  await workspace.run('repack', '-a', '-d', '-q');
  await workspace.run('prune', '--expire=now');
}
