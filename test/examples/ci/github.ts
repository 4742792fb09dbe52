/** Simulates GitHub's runner as far as the workflows of `examples/ci` need it. Gitea's runner reads the same format. */
import { globSync } from 'node:fs';
import { expect } from 'vitest';
import { type Example, readYaml } from './example.ts';

export interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly if?: string;
  readonly permissions: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly if?: string;
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, string | number>>;
}

/** The event that started the workflow. */
export interface GithubEvent {
  readonly name: 'push' | 'pull_request';
  readonly isFork?: boolean;
  readonly number?: number;
  readonly token?: string;
  readonly apiUrl?: string;
}

export interface GithubRun {
  /** Whether its condition let the job run. */
  readonly ran: boolean;
  /** Exit code of the first step that failed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Files that were uploaded to code scanning. */
  readonly uploads: readonly string[];
}

/** Runs the steps as a runner does: after a failed one, only those whose `if` is still true. */
export async function runGithub(
  example: Example,
  name: string,
  event: GithubEvent = { name: 'push' },
  file = 'github-actions.yml',
): Promise<GithubRun> {
  const { jobs } = await readYaml<Workflow>(file);
  const job = jobs[name];
  if (job === undefined) throw new Error(`no job ${name}`);
  const uploads: string[] = [];
  let code: number | null = 0;
  let stdout = '';
  let stderr = '';
  if (job.if !== undefined && !holds(job.if, example, event)) return { ran: false, code, stdout, stderr, uploads };
  for (const step of job.steps) {
    const isFine = code === 0 || step.if?.startsWith('always()') === true;
    if (!isFine || (step.if !== undefined && !holds(step.if, example, event))) continue;
    if (step.uses?.includes('upload-sarif')) uploads.push(String(step.with?.sarif_file));
    if (step.run === undefined) continue;
    const env = Object.entries(step.env ?? {}).map(([key, value]) => [key, evaluated(value, event)] as const);
    const outcome = await example.shell(shellOf(step, step.run), {
      GITHUB_API_URL: event.apiUrl ?? '',
      GITHUB_REPOSITORY: 'team/gateways',
      ...Object.fromEntries(env),
    });
    expect(outcome.stderr, step.run).not.toContain('not expected');
    if (code === 0) code = outcome.code;
    stdout += outcome.stdout;
    stderr += outcome.stderr;
  }
  return { ran: true, code, stdout, stderr, uploads };
}

/** GitHub's shells on Linux: the default one, and `bash`. */
function shellOf({ shell }: Step, script: string): [string, ...string[]] {
  if (shell === undefined) return ['bash', '-e', '-c', script];
  expect(shell).toBe('bash');
  return ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', script];
}

function evaluated(value: string, { token, number }: GithubEvent): string {
  const values: Readonly<Record<string, string>> = {
    '${{ github.token }}': token ?? '',
    '${{ github.event.number }}': String(number),
  };
  const found = values[value];
  if (found === undefined) throw new Error(`an expression that this test does not know: ${value}`);
  return found;
}

/** Evaluates GitHub's expressions as far as the workflow uses them. */
function holds(expression: string, { repository }: Example, { name, isFork = false }: GithubEvent): boolean {
  return expression.split(' && ').every(term => {
    if (term === 'always()') return true;
    if (term === 'github.event.pull_request.head.repo.fork != true') return !isFork;
    if (term === "github.event_name == 'pull_request'") return name === 'pull_request';
    const file = /^hashFiles\('([^']+)'\) != ''$/.exec(term)?.[1];
    if (file === undefined) throw new Error(`a condition that this test does not know: ${term}`);
    return globSync(file, { cwd: repository.path }).length > 0;
  });
}
