/** The commands inside the pipelines of `examples/ci`, taken out of the files and run. */
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { UNLOCKED } from '../../e2e/specs.ts';
import type { Outcome } from '../../support/process.ts';
import { copyExample, type Example, readExample, readYaml } from './example.ts';

interface Workflow {
  readonly jobs: { readonly [name: string]: { readonly steps: readonly Step[] } };
}

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly if?: string;
  readonly with?: { readonly [name: string]: string | number };
}

interface GitlabJob {
  readonly script: readonly string[];
  readonly artifacts: { readonly when: string; readonly reports: { readonly [kind: string]: string } };
}

interface PreCommitConfig {
  readonly repos: readonly { readonly hooks: readonly { readonly entry: string }[] }[];
}

const GATEWAY = 'specs/gateway.yaml';
/** Line 16 of the gateway, and what is found there. */
const MISSPELL = [GATEWAY, 'conflictResolution: prefix', 'conflictResolution: prefics'] as const;
const ANNOTATION =
  '::error file=specs/gateway.yaml,line=16,endLine=16,col=27,endColumn=34,title=LNT1011 not-in-enum::' +
  'expected one of "prefix", "priority", "manual", found the string "prefics"%0Afix: did you mean "prefix"?\n';

describe('GitHub Actions', () => {
  test('good specs: the job passes, the summary says so, the SARIF has no results', async () => {
    await using example = await copyExample();
    const job = await runGithub(example);
    expect([job.code, job.stdout]).toEqual([0, `::notice title=Lintel::${UNLOCKED}`]);
    expect(await readFile(example.summary, 'utf8')).toMatch(/^Before\.\n.*no findings/is);
    expect(await readJson(example, 'lintel.sarif')).toMatchObject({ version: '2.1.0', runs: [{ results: [] }] });
    expect(job.uploads).toEqual(['lintel.sarif']);
  });

  test('a misspelt value: the job fails, and annotation, summary and SARIF name the place', async () => {
    await using example = await copyExample();
    await example.edit(...MISSPELL);
    const job = await runGithub(example);
    expect([job.code, job.stdout]).toEqual([1, ANNOTATION]);
    expect(await readFile(example.summary, 'utf8')).toMatch(/^Before\.\n.*specs\/gateway\.yaml.*LNT1011/s);
    const physicalLocation = { artifactLocation: { uri: GATEWAY }, region: { startLine: 16 } };
    expect(await readJson(example, 'lintel.sarif')).toMatchObject({
      runs: [{ results: [{ ruleId: 'LNT1011', level: 'error', locations: [{ physicalLocation }] }] }],
    });
    expect(job.uploads).toEqual(['lintel.sarif']);
  });

  test('a deleted backend: the annotation is where its name is used', async () => {
    await using example = await copyExample();
    await rm(example.repository.file('specs/backends/docs.yaml'));
    const job = await runGithub(example);
    expect(job.code).toBe(1);
    expect(job.stdout).toMatch(
      /^::error file=specs\/gateway\.yaml,line=21,.*no backend of this gateway is named "docs"/,
    );
  });

  test('nothing to check: the job fails with exit code 2, and no step trips over a file that is not there', async () => {
    await using example = await copyExample();
    await rm(example.repository.file('specs'), { recursive: true });
    const job = await runGithub(example);
    expect([job.code, job.uploads]).toEqual([2, []]);
    expect(await readFile(example.summary, 'utf8')).toBe('Before.\n');
  });
});

describe('GitLab', () => {
  test('good specs: the job passes, with both reports', async () => {
    await using example = await copyExample();
    const { code, stdout, reports } = await runGitlab(example);
    expect([code, stdout]).toEqual([0, `no findings in 5 files (5 objects checked)\n${UNLOCKED}`]);
    expect(JSON.parse(reports.codequality ?? '')).toEqual([]);
    expect(reports.junit).toMatch(/^<\?xml .*<testsuites name="lintel" tests="5" failures="0".*<\/testsuites>\n$/s);
  });

  test('a misspelt value: the job fails, and log and reports name the place', async () => {
    await using example = await copyExample();
    await example.edit(...MISSPELL);
    const { code, stdout, reports } = await runGitlab(example);
    expect(code).toBe(1);
    expect(stdout).toContain(' --> specs/gateway.yaml:16:27\n');
    expect(JSON.parse(reports.codequality ?? '')).toMatchObject([
      { check_name: 'LNT1011', severity: 'critical', location: { path: GATEWAY, lines: { begin: 16 } } },
    ]);
    expect(reports.junit).toMatch(/<testsuites name="lintel" tests="5" failures="1"/);
    expect(reports.junit).toContain('<testcase name="LNT1011_16_27" classname="specs/gateway.yaml">');
  });
});

test.each(['github-actions.yml', '../cdk8s/.github/workflows/lintel.yml'])(
  '%s pins each action by commit',
  async file => {
    const { jobs } = await readYaml<Workflow>(file);
    const actions = Object.values(jobs).flatMap(job => job.steps.flatMap(({ uses }) => uses ?? []));
    expect(actions).not.toEqual([]);
    for (const action of actions) expect(action).toMatch(/^[\w./-]+@[0-9a-f]{40}$/);
  },
);

test('pre-commit: its entry passes good specs and fails a misspelt value', async () => {
  await using example = await copyExample();
  const { repos } = await readYaml<PreCommitConfig>('pre-commit-config.yaml');
  const entries = repos.flatMap(({ hooks }) => hooks.map(({ entry }) => entry));
  expect(entries).toHaveLength(1);
  // Without a shell: the framework splits an entry at its spaces.
  const argv = (entries[0] ?? '').split(' ') as [string, ...string[]];
  expect(await example.shell(argv)).toMatchObject({ code: 0, stderr: '' });
  await example.edit(...MISSPELL);
  const { code, stdout } = await example.shell(argv);
  expect(code).toBe(1);
  expect(stdout).toContain(' --> specs/gateway.yaml:16:27\n');
});

test('the README shows the annotation as it is', async () => {
  expect(await readExample('README.md')).toContain(ANNOTATION);
});

/** The steps as a runner takes them: after one that failed, only those whose `if` is true all the same. */
async function runGithub(example: Example) {
  const { jobs } = await readYaml<Workflow>('github-actions.yml');
  const steps = Object.values(jobs).flatMap(job => job.steps);
  expect(steps.filter(({ run }) => run?.includes('lintel check'))).toHaveLength(1);
  const uploads: string[] = [];
  let code: number | null = 0;
  let stdout = '';
  for (const step of steps) {
    if (!(step.if === undefined ? code === 0 : holds(step.if, example))) continue;
    if (step.uses?.includes('upload-sarif')) uploads.push(String(step.with?.sarif_file));
    if (step.run === undefined) continue;
    // GitHub's shell on Linux when a step names none.
    const outcome = await example.shell(['bash', '-e', '-c', step.run]);
    expect(outcome.stderr, step.run).not.toContain('not expected');
    if (code === 0) code = outcome.code;
    stdout += outcome.stdout;
  }
  return { code, stdout, uploads };
}

/** GitHub's expressions, as far as the workflow uses them; the push is none of a fork. */
function holds(expression: string, { repository }: Example): boolean {
  return expression.split(' && ').every(term => {
    if (term === 'always()' || term === 'github.event.pull_request.head.repo.fork != true') return true;
    const file = /^hashFiles\('([^']+)'\) != ''$/.exec(term)?.[1];
    if (file === undefined) throw new Error(`a condition that this test does not know: ${term}`);
    return existsSync(repository.file(file));
  });
}

async function runGitlab(
  example: Example,
): Promise<Outcome & { readonly reports: { readonly [kind: string]: string } }> {
  const { lintel } = await readYaml<{ readonly lintel: GitlabJob }>('gitlab-ci.yml');
  expect(lintel.script.filter(line => line.includes('lintel check'))).toHaveLength(1);
  expect(lintel.artifacts.when).toBe('always');
  const outcome = await example.shell(['bash', '-eo', 'pipefail', '-c', lintel.script.join('\n')]);
  const kinds = Object.entries(lintel.artifacts.reports);
  expect(kinds.map(([kind]) => kind)).toEqual(['codequality', 'junit']);
  const reports = kinds.map(async ([kind, file]) => [kind, await readFile(example.repository.file(file), 'utf8')]);
  return { ...outcome, reports: Object.fromEntries(await Promise.all(reports)) };
}

async function readJson({ repository }: Example, file: string): Promise<unknown> {
  return JSON.parse(await readFile(repository.file(file), 'utf8'));
}
