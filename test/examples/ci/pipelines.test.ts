/** The commands in the pipelines of `examples/ci`, extracted from the files and run. */
import { readFile, rm } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { copyExample, type Example, readExample, readYaml } from './example.ts';
import { runGithub, type Workflow } from './github.ts';
import { runGitlab } from './gitlab.ts';

interface PreCommitConfig {
  readonly repos: readonly { readonly hooks: readonly { readonly id: string; readonly entry: string }[] }[];
}

const GATEWAY = 'specs/gateway.yaml';
/** An edit of line 12 of the gateway that gives a finding. */
const MISSPELL = [GATEWAY, 'conflictResolution: prefix', 'conflictResolution: prefics'] as const;
const ANNOTATION =
  '::error file=specs/gateway.yaml,line=12,endLine=12,col=27,endColumn=34,title=LNT1011 not-in-enum::' +
  'expected one of "prefix", "priority", "manual", found the string "prefics"%0Afix: did you mean "prefix"?\n';

describe('GitHub Actions', () => {
  test('the GitHub job of the CI example passes valid specs, and its summary and SARIF have no findings', async () => {
    await using example = await copyExample();
    const job = await runGithub(example, 'check');
    expect([job.code, job.stdout]).toEqual([0, '']);
    expect(await readFile(example.summary, 'utf8')).toMatch(/^Before\.\n.*no findings/is);
    // The finding that the example suppresses, with its reason.
    const results = [{ ruleId: 'LNT6004', suppressions: [{ kind: 'inSource' }] }];
    expect(await readJson(example, 'lintel.sarif')).toMatchObject({ version: '2.1.0', runs: [{ results }] });
    expect(job.uploads).toEqual(['lintel.sarif']);
  });

  test('the GitHub job of the CI example fails for a misspelt value; its annotation, its summary and its SARIF file name the line', async () => {
    await using example = await copyExample();
    await example.edit(...MISSPELL);
    const job = await runGithub(example, 'check');
    expect([job.code, job.stdout]).toEqual([1, ANNOTATION]);
    expect(await readFile(example.summary, 'utf8')).toMatch(/^Before\.\n.*specs\/gateway\.yaml.*LNT1011/s);
    const physicalLocation = { artifactLocation: { uri: GATEWAY }, region: { startLine: 12 } };
    expect(await readJson(example, 'lintel.sarif')).toMatchObject({
      runs: [
        {
          results: [
            { ruleId: 'LNT1011', level: 'error', locations: [{ physicalLocation }] },
            // What the example suppresses, with its reason.
            { level: 'note', suppressions: [expect.anything()] },
          ],
        },
      ],
    });
    expect(job.uploads).toEqual(['lintel.sarif']);
  });

  test('the GitHub job of the CI example annotates a deleted backend at the line that uses its name', async () => {
    await using example = await copyExample();
    await rm(example.repository.file('specs/backends/docs.yaml'));
    const job = await runGithub(example, 'check');
    expect(job.code).toBe(1);
    expect(job.stdout).toMatch(
      /^::error file=specs\/gateway\.yaml,line=17,.*no backend of this gateway is named "docs"/,
    );
  });

  test('the GitHub job of the CI example exits with code 2 when there are no specs, and its later steps do not fail for lack of a file', async () => {
    await using example = await copyExample();
    await rm(example.repository.file('specs'), { recursive: true });
    const job = await runGithub(example, 'check');
    expect([job.code, job.uploads]).toEqual([2, []]);
    expect(await readFile(example.summary, 'utf8')).toBe('Before.\n');
  });
});

describe('GitLab', () => {
  test('the GitLab job of the CI example passes valid specs and writes both reports', async () => {
    await using example = await copyExample();
    const { code, stdout, reports } = await runGitlab(example, 'lintel');
    expect([code, stdout]).toEqual([0, 'no findings in 6 files (6 objects checked); 1 finding suppressed\n']);
    expect(JSON.parse(reports.codequality ?? '')).toEqual([]);
    expect(reports.junit).toMatch(/^<\?xml .*<testsuites name="lintel" tests="7" failures="0".*<\/testsuites>\n$/s);
  });

  test('the GitLab job of the CI example fails for a misspelt value, and its log and reports name the line', async () => {
    await using example = await copyExample();
    await example.edit(...MISSPELL);
    const { code, stdout, reports } = await runGitlab(example, 'lintel');
    expect(code).toBe(1);
    expect(stdout).toContain(' --> specs/gateway.yaml:12:27\n');
    expect(JSON.parse(reports.codequality ?? '')).toMatchObject([
      { check_name: 'LNT1011', severity: 'critical', location: { path: GATEWAY, lines: { begin: 12 } } },
    ]);
    expect(reports.junit).toMatch(/<testsuites name="lintel" tests="7" failures="1"/);
    expect(reports.junit).toContain('<testcase name="LNT1011_12_27" classname="specs/gateway.yaml">');
  });
});

describe('Gitea Actions', () => {
  const runGitea = (example: Example) => runGithub(example, 'check', { name: 'push' }, 'gitea-actions.yml');

  test('the Gitea job of the CI example passes valid specs', async () => {
    await using example = await copyExample();
    expect(await runGitea(example)).toMatchObject({
      code: 0,
      stdout: 'no findings in 6 files (6 objects checked); 1 finding suppressed\n',
    });
  });

  test('the Gitea job of the CI example fails for a misspelt value, and its log names the line', async () => {
    await using example = await copyExample();
    await example.edit(...MISSPELL);
    const { code, stdout } = await runGitea(example);
    expect(code).toBe(1);
    expect(stdout).toContain(' --> specs/gateway.yaml:12:27\n');
  });
});

describe('tests of workflows', () => {
  const TESTS = `workflow: look_up
tools:
  issues.search:
    - content: [{ type: text, text: nothing }]
tests:
  - name: finds nothing
    expect:
      output: { text: nothing }
`;

  /** The example with a workflow and its test. */
  async function withWorkflow(): Promise<Example> {
    const example = await copyExample();
    const step = '{ id: search, tool: issues.search, arguments: { words: open } }';
    const workflow = `    compositeTools:\n      - { name: look_up, description: Searches open issues., steps: [${step}] }\n`;
    await example.edit(GATEWAY, '  incomingAuth:\n', `${workflow}\n  incomingAuth:\n`);
    await example.repository.write({ 'specs/workflows/look-up.test.yaml': TESTS });
    return example;
  }

  test('the GitHub and Gitea jobs of the CI example run workflow tests if there are any, and the GitHub job annotates a failed test', async () => {
    await using example = await withWorkflow();
    expect(await runGithub(example, 'check', { name: 'push' }, 'gitea-actions.yml')).toMatchObject({ code: 0 });
    expect(await runGithub(example, 'check')).toMatchObject({ code: 0 });
    const report = await readFile(example.repository.file('lintel-tests.xml'), 'utf8');
    expect(report).toContain('finds nothing');
    await example.edit('specs/workflows/look-up.test.yaml', 'output: { text: nothing }', 'output: { text: one }');
    const job = await runGithub(example, 'check');
    expect(job.code).toBe(1);
    expect(job.stdout).toContain('::error file=specs/workflows/look-up.test.yaml,line=8,');
  });

  test('the CI example has a separate GitLab job for workflow tests, which runs only if there are any', async () => {
    await using none = await copyExample();
    expect(await runGitlab(none, 'lintel-workflows')).toMatchObject({ ran: false });
    await using example = await withWorkflow();
    const { code, reports } = await runGitlab(example, 'lintel-workflows');
    expect([code, reports.junit]).toEqual([0, expect.stringContaining('finds nothing')]);
  });
});

test.each(['github-actions.yml', 'gitea-actions.yml', '../cdk8s/.github/workflows/lintel.yml'])(
  '%s pins each action to a commit id',
  async file => {
    const { jobs } = await readYaml<Workflow>(file);
    const actions = Object.values(jobs).flatMap(job => job.steps.flatMap(({ uses }) => uses ?? []));
    expect(actions).not.toEqual([]);
    for (const action of actions) expect(action).toMatch(/^(?:https:\/\/)?[\w./-]+@[0-9a-f]{40}$/);
  },
);

test('the GitLab jobs of the CI example pin each image by its digest', async () => {
  const jobs = Object.values(await readYaml<Record<string, { readonly image?: string }>>('gitlab-ci.yml'));
  const images = jobs.flatMap(({ image }) => image ?? []);
  expect(images).not.toEqual([]);
  for (const image of images) expect(image).toMatch(/^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
});

test('the pre-commit hooks of the CI example pass good specs and fail for a misspelt value', async () => {
  await using example = await copyExample();
  const { repos } = await readYaml<PreCommitConfig>('pre-commit-config.yaml');
  const hooks = repos.flatMap(({ hooks }) => hooks);
  expect(hooks.map(({ id }) => id)).toEqual(['lintel', 'lintel-matrix', 'lintel-lock']);
  // Without a shell: the framework splits an entry at its spaces. The last hook queries the backends.
  const argvs = hooks.slice(0, 2).map(({ entry }) => entry.split(' ') as [string, ...string[]]);
  for (const argv of argvs) expect(await example.shell(argv)).toMatchObject({ code: 0, stderr: '' });
  await example.edit(...MISSPELL);
  const outcomes = await Promise.all(argvs.map(argv => example.shell(argv)));
  expect(outcomes.map(({ code }) => code)).toEqual([1, 3]);
  for (const { stdout, stderr } of outcomes) expect(stdout + stderr).toContain(' --> specs/gateway.yaml:12:27\n');
});

test('the README of the CI example shows the annotation as it is printed', async () => {
  expect(await readExample('README.md')).toContain(ANNOTATION);
});

async function readJson({ repository }: Example, file: string): Promise<unknown> {
  return JSON.parse(await readFile(repository.file(file), 'utf8'));
}
