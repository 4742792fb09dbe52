/** `lintel doctor auth`: shows why clients cannot sign people in at an MCP server. */
import { DOCTOR_RENDERERS, type DoctorFormat, examineAuth, requiresNoToken } from '../../doctor/index.ts';
import { findUrlProblem } from '../../text/url-problem.ts';
import { UsageError } from '../../usage-error.ts';

export interface DoctorOptions {
  /** Whether to register a client and begin a sign-in, so that both are verified. */
  readonly register: boolean;
  /** A client that was registered manually. */
  readonly clientId: string | undefined;
  /** Timeout of each request; milliseconds. */
  readonly timeoutMs: number;
  readonly format: DoctorFormat;
}

/**
 * Requests each URL of a sign-in in order and writes what the server answers. Returns the exit code: 0, also when the server requires no token, 1
 * when a step is broken, 3 when the server does not answer.
 *
 * @throws UsageError for a URL that cannot belong to an MCP server
 */
export async function doctorAuth(address: string, options: DoctorOptions): Promise<number> {
  const { format, register, clientId, timeoutMs } = options;
  const url = toServerUrl(address);
  const report = await examineAuth(url, { registers: register, clientId, timeoutMs });
  process.stdout.write(DOCTOR_RENDERERS[format](report));
  if (!report.isReached) return 3;
  return report.works || requiresNoToken(report) ? 0 : 1;
}

function toServerUrl(address: string): URL {
  const problem = findUrlProblem(address);
  if (problem !== undefined)
    throw new UsageError(
      `this is not an http or https URL: ${problem}; give the URL that clients are given, such as https://mcp.example.com/mcp`,
    );
  const url = new URL(address);
  if (url.username !== '' || url.password !== '')
    throw new UsageError('the URL holds credentials, and what is examined is a client without any: leave them out');
  url.hash = '';
  return url;
}
