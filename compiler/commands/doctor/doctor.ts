/** `lintel doctor`: shows what prevents a gateway from serving: on this machine, in the specs, or at the backends. */
import { findUrlProblem } from '../../text/url-problem.ts';
import { UsageError } from '../../usage-error.ts';
import { findTerminalColumns } from '../terminal-columns.ts';
import { type CheckFormat, renderChecks } from './check.ts';
import { checkClients, checkEndpoint, checkFolders, checkNode } from './machine.ts';
import { checkProject, type ProjectCheckOptions } from './project.ts';

export interface DoctorOptions extends ProjectCheckOptions {
  /** The URL of the gateway, as clients know it. */
  readonly url: string;
  readonly format: CheckFormat;
}

/**
 * Writes one line for each check, and how to repair what is broken. Changes nothing. Returns the exit code: 1 when something is broken.
 *
 * @throws UsageError for a URL in place of a path, and for an invalid URL
 */
export async function doctor(paths: readonly string[], options: DoctorOptions): Promise<number> {
  // The argument is not repeated: a URL may contain a secret.
  if (paths.some(path => /^https?:/i.test(path))) throw new UsageError('write `lintel doctor auth URL`');
  const problem = findUrlProblem(options.url);
  if (problem !== undefined) throw new UsageError(`--url: this is not an http or https URL: ${problem}`);
  const url = new URL(options.url);
  const checks = [
    checkNode(),
    checkFolders(),
    ...(await checkProject(paths, options)),
    ...(await checkEndpoint(url, options.timeoutMs)),
    checkClients(url),
  ];
  process.stdout.write(renderChecks(checks, options.format, findTerminalColumns(process.stdout)));
  return checks.some(({ outcome }) => outcome === 'broken') ? 1 : 0;
}
