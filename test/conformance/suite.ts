/** The public conformance suite: its scenarios for servers and authorization servers, and their results. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, run, temporaryFolder } from '../support/process.ts';

/** A version of the suite. */
export interface Suite {
  readonly program: string;
  /** Whether it has an option for the time limit of a scenario. */
  readonly takesTimeout: boolean;
}

/** The version in `package.json`. */
export const SUITE: Suite = {
  program: join(ROOT, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js'),
  takesTimeout: true,
};

/** How long one scenario may take; milliseconds. The longest take six seconds on an idle machine. */
const SCENARIO_LIMIT_MS = 20_000;

/** How long all scenarios of a revision may take; milliseconds. */
export const RUN_LIMIT_MS = 600_000;

/** One check of a scenario. */
export interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly description: string;
  readonly errorMessage?: string;
}

export interface Report {
  /** The failed checks of a scenario, as text; empty when the server passes. */
  complaints(scenario: string): string[];
  /** The checks of a scenario that only succeeded. */
  successes(scenario: string): ReadonlySet<string>;
}

/** What a scenario tests: servers or authorization servers. */
export type Role = 'server' | 'authorization';

/** Prefixes of the folders that the suite writes. */
const FOLDERS: { readonly [role in Role]: string } = { server: 'server', authorization: 'authorization-server' };

/** The scenarios for a role, by protocol revision, oldest first. The suite lists each with its revisions; scenarios of extensions have none. */
export async function scenariosByRevision(
  { program }: Suite = SUITE,
  role: Role = 'server',
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { code, stdout, stderr } = await run(program, ['list', `--${role}`]);
  if (code !== 0) throw new Error(`the suite does not list its scenarios: ${stderr}`);
  const found = new Map<string, string[]>();
  for (const [, scenario = '', tags = ''] of stdout.matchAll(/^ {2}- (\S+) \[(.+)\]$/gm)) {
    for (const revision of tags.split(',').filter(tag => tag !== 'extension')) {
      found.set(revision, [...(found.get(revision) ?? []), scenario]);
    }
  }
  return new Map([...found].sort(([one], [other]) => one.localeCompare(other)));
}

/** Runs all scenarios of a revision in sequence against the server at a URL. */
export async function runSuite(url: string, revision: string, suite: Suite = SUITE): Promise<Report> {
  await using folder = await temporaryFolder();
  const limits = suite.takesTimeout ? ['--timeout', String(SCENARIO_LIMIT_MS)] : [];
  const args = ['server', '--url', url, '--suite', 'all', '--spec-version', revision, '-o', folder.path, ...limits];
  const { stdout, stderr } = await run(suite.program, args, { limitMs: RUN_LIMIT_MS });
  // Awaited here, because the folder is removed when this returns.
  return await readReport(folder.path, 'server', { stdout, stderr });
}

/** Reads what a run wrote into its folder. */
export async function readReport(
  folder: string,
  role: Role,
  { stdout, stderr }: { readonly stdout: string; readonly stderr: string },
): Promise<Report> {
  const checks = await readChecks(folder, FOLDERS[role]);
  return {
    complaints(scenario) {
      const said = checks.get(scenario);
      return said === undefined ? [`no verdict: ${outputOf(scenario, stdout, stderr)}`] : complaintsIn(said);
    },
    successes(scenario) {
      const said = Map.groupBy(checks.get(scenario) ?? [], ({ id }) => id);
      const succeeded = [...said].filter(([, one]) => one.every(({ status }) => status === 'SUCCESS'));
      return new Set(succeeded.map(([id]) => id));
    },
  };
}

/** The suite writes a folder for each scenario that ended: `<beginning>-<scenario>-<time>`. */
async function readChecks(folder: string, beginning: string): Promise<Map<string, Check[]>> {
  const checks = new Map<string, Check[]>();
  for (const name of await readdir(folder)) {
    const [, scenario] = /^(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name.replace(`${beginning}-`, '')) ?? [];
    if (scenario === undefined || !name.startsWith(beginning))
      throw new Error(`the suite wrote ${name}, which names no scenario`);
    checks.set(scenario, JSON.parse(await readFile(join(folder, name, 'checks.json'), 'utf8')) as Check[]);
  }
  return checks;
}

/** The complaint about a scenario that ran, checked nothing, and gave a reason: for example that the server has no sessions. */
export const ONLY_INFORMATION = 'no check succeeded: the scenario gives information alone';

/**
 * A warning means that a SHOULD is violated, a skipped check that something did not occur: both are complaints. A scenario in which nothing
 * succeeded is one too.
 */
function complaintsIn(checks: readonly Check[]): string[] {
  const complaints = checks.filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO');
  if (complaints.length === 0 && !checks.some(({ status }) => status === 'SUCCESS')) {
    return [checks.length === 0 ? 'no check succeeded' : ONLY_INFORMATION];
  }
  return complaints.map(({ status, id, description, errorMessage }) => {
    return `${status} ${id}: ${errorMessage ?? description}`;
  });
}

/** The suite's output about one scenario. */
function outputOf(scenario: string, stdout: string, stderr: string): string {
  const section = stdout.split('=== Running scenario: ').find(text => text.startsWith(`${scenario} ===`));
  return `${section ?? 'it was not run'}\n${stderr}`.trim();
}
