/** The plugin in the real `cdk8s synth`, from an installed package. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { VERSION } from '../../../schemas/index.ts';
import { withPeers } from '../../support/peers.ts';
import { ROOT } from '../../support/process.ts';

const run = promisify(execFile);
const withCli = withPeers('cdk8s-cli');

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lintel-plugin-'));
  await mkdir(join(folder, 'node_modules'));
  for (const name of ['cdk8s', 'constructs']) {
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  await symlink(ROOT, join(folder, 'node_modules', 'lintel'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

interface Synth {
  readonly code: number;
  readonly output: string;
  readonly report:
    | { readonly violations: readonly Violation[]; readonly summary: { readonly status: string } }
    | undefined;
}

interface Violation {
  readonly ruleName: string;
  readonly recommendation: string;
  readonly fix: string;
  readonly violatingConstructs: readonly {
    readonly resourceName: string;
    readonly constructPath?: string;
    readonly locations: readonly string[];
    readonly manifestPath: string;
  }[];
}

const APP = `const { App, Chart, ApiObject } = require('cdk8s');
const app = new App();
const chart = new Chart(app, 'eng');
const add = (id, kind, name, spec) =>
  new ApiObject(chart, id, { apiVersion: 'lintel.dev/v1beta1', kind, metadata: { name }, spec });
`;
const GROUP = `add('Group', 'MCPGroup', 'team', {});\n`;
const gateway = (name: string, type: string) =>
  `add('Gateway', 'VirtualMCPServer', '${name}', { groupRef: { name: 'team' }, incomingAuth: { type: '${type}' } });\n`;

async function synth(
  app: string,
  properties: object = {},
  files: Readonly<Record<string, string>> = {},
): Promise<Synth> {
  const plugin = { package: './node_modules/lintel', version: VERSION, class: 'LintelValidation', properties };
  await writeFile(join(folder, 'main.js'), `${APP}${app}app.synth();\n`);
  await writeFile(
    join(folder, 'cdk8s.yaml'),
    stringify({ app: 'node main.js', language: 'typescript', validations: [plugin] }),
  );
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const program = join(ROOT, 'node_modules/cdk8s-cli/bin/cdk8s');
  const args = [program, 'synth', '--validation-reports-output-file', 'report.json'];
  const env = { PATH: process.env.PATH ?? '', HOME: folder, CDK8S_CHECK_UPGRADE: 'false' };
  const ended = await run(process.execPath, args, { cwd: folder, env }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    error => ({ code: error.code as number, output: `${error.stdout}${error.stderr}` }),
  );
  const text = await readFile(join(folder, 'report.json'), 'utf8').catch(() => undefined);
  return { ...ended, report: text === undefined ? undefined : JSON.parse(text).reports[0] };
}

withCli.describe('a finding', () => {
  test('the validation plugin fails the synth and reports the code, severity, line and construct path of a finding', async () => {
    const { code, report } = await synth(`${GROUP}${gateway('eng', 'oidcc')}`);
    expect([code, report?.summary.status]).toEqual([2, 'failure']);
    const [violation, ...others] = report?.violations.filter(({ ruleName }) => ruleName.startsWith('error')) ?? [];
    expect(others).toEqual([]);
    expect(violation).toMatchObject({
      ruleName: expect.stringMatching(/^error\[LNT\d{4}\] [a-z-]+$/),
      recommendation: expect.stringContaining('oidcc'),
      violatingConstructs: [
        {
          resourceName: 'eng',
          constructPath: 'eng/Gateway',
          locations: [expect.stringMatching(/^\/spec\/incomingAuth\/type \(\d+:\d+\)$/)],
          manifestPath: expect.stringContaining('eng.k8s.yaml'),
        },
      ],
    });
    expect(violation?.fix).not.toBe('');
  });

  test('the validation plugin reports no construct path for a finding if it cannot tell which resource the path belongs to', async () => {
    const { report } = await synth(`${GROUP}${gateway('team', 'oidcc')}`);
    const [construct] = report?.violations[0]?.violatingConstructs ?? [];
    expect(construct).toMatchObject({ resourceName: 'VirtualMCPServer/default/team' });
    expect(construct).not.toHaveProperty('constructPath');
  });
});

withCli.describe('what does not weigh enough', () => {
  const anonymous = `${GROUP}${gateway('eng', 'anonymous')}`;
  test('the validation plugin prints a finding that is less severe than an error, and lets the synth pass', async () => {
    const { code, output, report } = await synth(anonymous);
    expect([code, report?.summary.status]).toEqual([0, 'success']);
    expect(report?.violations.map(({ ruleName }) => ruleName)).toContainEqual(
      expect.stringMatching(/^hint\[LNT2007\]/),
    );
    expect(output).toContain('LNT2007');
  });
  test('the validation plugin fails the synth on hints with failOn: hint', async () => {
    expect((await synth(anonymous, { failOn: 'hint' })).code).toBe(2);
  });
  test('the validation plugin applies the changed severities in lintel.yaml', async () => {
    const quiet = { 'lintel.yaml': 'severity:\n  LNT2007: off\n' };
    const { report } = await synth(anonymous, {}, quiet);
    expect(report?.violations.map(({ ruleName }) => ruleName)).not.toContainEqual(expect.stringContaining('LNT2007'));
  });
});

withCli.test('the validation plugin ignores objects of other kinds', async () => {
  const { code, report } = await synth(`new ApiObject(chart, 'other', { apiVersion: 'v1', kind: 'Service' });\n`);
  expect([code, report?.violations]).toEqual([0, []]);
});

withCli.describe('mistakes in cdk8s.yaml and next to it are named', () => {
  const cases: readonly [what: string, properties: object, files: Record<string, string>, message: string][] = [
    [
      'an unknown property',
      { failon: 'error' },
      {},
      'there is no property "failon"; there are: failOn, config, catalog',
    ],
    ['an unknown severity', { failOn: 'fatal' }, {}, 'failOn is one of hint, warning, error, not "fatal"'],
    ['a missing tool lock', { catalog: 'tools.json' }, {}, 'no such tool lock: tools.json'],
    ['a broken configuration', {}, { 'lintel.yaml': 'profil: strict\n' }, 'profil'],
  ];
  test.each(cases)(
    'the validation plugin fails the synth and names a mistake in its settings: %s',
    async (_, properties, files, message) => {
      const { code, output } = await synth(GROUP, properties, files);
      expect(code).not.toBe(0);
      expect(output).toContain(message);
    },
  );
});
