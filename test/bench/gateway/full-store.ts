/** Measures the memory of the authorization server with a full store. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './processes.ts';

/** The megabytes that 10,000 registered clients and 50,000 sign-ins take. */
export async function measureFullStore(): Promise<number> {
  const program = join(import.meta.dirname, 'sign-in', 'full-store.ts');
  const args = ['--conditions=lintel-source', '--expose-gc', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  return Number(stdout);
}
