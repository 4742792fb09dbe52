/** Helpers for tests with a served gateway. */
import { runLintel } from '../support/lintel.ts';
import { eventually, type TemporaryFolder, temporaryFolder } from '../support/process.ts';

/** The line that a program prints when it listens. */
export interface Announcement {
  readonly event: string;
  readonly url: string;
  readonly internal: string;
  readonly gateway: string;
  readonly digest: string;
}

/** Arguments that select free ports. */
export const FREE_PORTS: readonly string[] = ['--port', '0', '--internal-address', '127.0.0.1:0'];

/** Resolves when every backend was probed, or the start's time limit for that is over. */
export async function ready({ internal }: Announcement): Promise<void> {
  await eventually(async () => (await fetch(`${internal}/readyz`)).ok);
}

/** Builds specs into `out` of a new folder. */
export async function buildInto(files: { readonly [path: string]: string }): Promise<TemporaryFolder> {
  const folder = await temporaryFolder(files);
  const { code, stderr } = await runLintel(['build', '.', '--out', 'out'], { cwd: folder.path });
  if (code !== 0) throw new Error(stderr);
  return folder;
}
