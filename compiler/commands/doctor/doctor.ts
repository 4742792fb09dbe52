/** `lintel doctor`: what on this machine, in these specs or at their backends keeps a gateway from serving. */
import { UsageError } from '../../usage-error.ts';
import { findTerminalColumns } from '../terminal-columns.ts';
import { type CheckFormat, renderChecks } from './check.ts';
import { checkClients, checkEndpoint, checkFolders, checkNode } from './machine.ts';
import { checkProject, type ProjectCheckOptions } from './project.ts';

export interface DoctorOptions extends ProjectCheckOptions {
  /** Of the gateway, as clients have it. */
  readonly url: string;
  readonly format: CheckFormat;
}

/**
 * Writes a line for each thing that is looked at, and what to do about what is broken. Changes nothing. Returns the exit code: 1 where something
 * is broken.
 *
 * @throws UsageError for a URL in place of a path, and for what is no URL
 */
export async function doctor(paths: readonly string[], options: DoctorOptions): Promise<number> {
  // What was given is not repeated: a URL may hold a secret.
  if (paths.some(path => /^https?:/i.test(path))) throw new UsageError('write `lintel doctor auth URL`');
  const url = URL.parse(options.url);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new UsageError('--url: this is no http or https URL');
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
