/** Simulates GitLab's runner as far as the pipeline of `examples/ci` needs it. */
import { existsSync, globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import type { Outcome } from '../../support/process.ts';
import { type Example, readYaml } from './example.ts';

interface GitlabJob {
  readonly extends?: string;
  readonly before_script?: readonly string[];
  readonly rules?: readonly { readonly if: string; readonly exists?: readonly string[] }[];
  readonly script?: readonly string[];
  readonly artifacts?: { readonly when: string; readonly reports?: Readonly<Record<string, string>> };
}

export interface GitlabRun extends Outcome {
  /** Whether one of its rules let the job run. */
  readonly ran: boolean;
  /** The reports that were written, by kind. */
  readonly reports: Readonly<Record<string, string>>;
}

/** @param variables GitLab's, which the rules use too; by default those of a push to the default branch */
export async function runGitlab(
  example: Example,
  name: string,
  variables: Readonly<Record<string, string>> = { CI_COMMIT_BRANCH: 'main', CI_DEFAULT_BRANCH: 'main' },
): Promise<GitlabRun> {
  const jobs = await readYaml<Readonly<Record<string, GitlabJob>>>('gitlab-ci.yml');
  const job = { ...jobs[jobs[name]?.extends ?? ''], ...jobs[name] };
  const { rules = [], before_script = [], script = [], artifacts } = job;
  expect(script).not.toEqual([]);
  const isThere = (pattern: string) => globSync(pattern, { cwd: example.repository.path }).length > 0;
  if (!rules.some(rule => holds(rule.if, variables) && (rule.exists?.some(isThere) ?? true)))
    return { ran: false, code: 0, stdout: '', stderr: '', reports: {} };
  const lines = [...before_script, ...script].join('\n');
  const outcome = await example.shell(['bash', '-eo', 'pipefail', '-c', lines], { GITLAB_CI: 'true', ...variables });
  expect(outcome.stderr).not.toContain('not expected');
  if (artifacts !== undefined) expect(artifacts.when).toBe('always');
  const written = Object.entries(artifacts?.reports ?? {}).filter(([, file]) =>
    existsSync(example.repository.file(file)),
  );
  const reports = written.map(async ([kind, file]) => [kind, await readFile(example.repository.file(file), 'utf8')]);
  return { ran: true, ...outcome, reports: Object.fromEntries(await Promise.all(reports)) };
}

/** Evaluates GitLab's conditions as far as the rules use them. */
function holds(condition: string, variables: Readonly<Record<string, string>>): boolean {
  return condition.split(' && ').every(term => {
    const [, left = '', right = ''] = /^(\S+) == (\S+)$/.exec(term) ?? [];
    if (left === '') throw new Error(`a condition that this test does not know: ${term}`);
    const [a, b] = [left, right].map(side => (side.startsWith('$') ? variables[side.slice(1)] : JSON.parse(side)));
    return a === b;
  });
}
