import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Files, writeFolder } from '../../../compiler/program/places/programs.ts';
import { expectGolden } from '../../../support/golden.ts';
import { runLintel } from '../../../support/lintel.ts';

const TEAM = `import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';

export interface TeamProps {
  readonly group: string;
  readonly replicas: number;
}

export class TeamGateway extends Construct {
  constructor(scope: Construct, id: string, props: TeamProps) {
    super(scope, id);
    new ApiObject(this, 'Resource', {
      apiVersion: 'lintel.dev/v1beta1',
      kind: 'VirtualMCPServer',
      metadata: { name: id },
      spec: {
        groupRef: { name: props.group },
        incomingAuth: {
          type: 'anonymous',
          authzConfig: { type: 'inline', inline: { policies: ['permit(principal, action, resource) when { context.arguments };'] } },
        },
        replicas: props.replicas,
      },
    });
  }
}
`;

/** @param first the line of the gateway, with the code around it */
function app(first: string): string {
  return `import { App, ApiObject, Chart } from 'cdk8s';
import { TeamGateway } from './shared/team-gateway.ts';

const app = new App();
const chart = new Chart(app, 'Eng', { namespace: 'tools' });
new ApiObject(chart, 'eng', { apiVersion: 'lintel.dev/v1beta1', kind: 'MCPGroup', metadata: { name: 'eng' } });
new ApiObject(chart, 'github', {
  apiVersion: 'lintel.dev/v1beta1',
  kind: 'MCPServerEntry',
  metadata: { name: 'github' },
  spec: { remoteUrl: 'https://github.example.com/mcp', transport: 'streamable-http', groupRef: { name: 'eng' } },
});
${first}
app.synth();
`;
}

const GATEWAY = "new TeamGateway(chart, 'gateway', { group: 'eng', replicas: 2 });";

function check(files: Files, ...args: readonly string[]) {
  const cwd = writeFolder(files, ['cdk8s', 'constructs', 'esbuild', 'typescript', '@types']);
  return runLintel(['check', 'app.ts', '--no-typecheck', ...args], {
    cwd,
    env: { STAGE: 'prod' },
  });
}

test('`lintel check` shows the findings of a program at the lines of the program that give the wrong values', async () => {
  const { code, stdout, stderr } = await check({
    'app.ts': app("new TeamGateway(chart, 'gateway', { group: 'egn', replicas: 2 });"),
    'shared/team-gateway.ts': TEAM,
  });
  expect([code, stderr]).toEqual([1, '']);
  expectGolden(join(import.meta.dirname, 'golden'), new Map([['pretty.txt', stdout]]));
});

test.each<[name: string, first: string, team?: string]>([
  ['on the line of the call that leads to it', `${GATEWAY} // lintel-ignore LNT4016: sessions may be lost`],
  ['above the call that leads to it', `// lintel-ignore LNT4016: sessions may be lost\n${GATEWAY}`],
  [
    'in the file that creates the object',
    GATEWAY,
    TEAM.replace('    new ApiObject', '    // lintel-ignore LNT4016: sessions may be lost\n    new ApiObject'),
  ],
  [
    'by an annotation',
    GATEWAY,
    TEAM.replace('{ name: id }', "{ name: id, annotations: { 'lintel.dev/ignore.LNT4016': 'sessions may be lost' } }"),
  ],
])('a finding in a program can be suppressed %s', async (_, first, team = TEAM) => {
  const plain = await check({ 'app.ts': app(GATEWAY), 'shared/team-gateway.ts': TEAM }, '--format', 'compact');
  expect(plain.stdout).toContain('LNT4016');
  const { stdout } = await check({ 'app.ts': app(first), 'shared/team-gateway.ts': team }, '--format', 'compact');
  expect(stdout).not.toContain('LNT4016');
  expect(stdout).not.toContain('LNT1033');
});

test('`lintel check` reports a suppression without a finding at its line of the program', async () => {
  const files = {
    'app.ts': app(`// lintel-ignore LNT4002: no reason\n${GATEWAY}`),
    'shared/team-gateway.ts': TEAM,
  };
  const { stdout } = await check(files, '--format', 'compact');
  expect(stdout).toContain('app.ts:13:1: warning[LNT1033]: there is no finding of LNT4002 here');
});

const STAGES = `
function team(name: string) {
  if (process.env.STAGE === 'prod') {
    // lintel-ignore LNT4016: sessions may be lost
    new TeamGateway(chart, \`\${name}-prod\`, { group: 'eng', replicas: 3 });
  } else {
    // lintel-ignore LNT4002: nothing here
    new TeamGateway(chart, name, { group: 'eng', replicas: 1 });
  }
}
team('gateway');
const replicas = process.env.STAGE === 'prod'
  ? 3 // lintel-ignore LNT4016: sessions may be lost
  : 1;
export const settings = {
  // lintel-ignore LNT4016: nothing here
  replicas,
};
export function nobodyCalls() {
  new TeamGateway(chart, 'never', { group: 'eng', replicas: 2 }); // lintel-ignore LNT4016: sessions may be lost
}`;

test('`lintel check` reports an unused suppression only in code that the program has run', async () => {
  const files = { 'app.ts': app(STAGES), 'shared/team-gateway.ts': TEAM };
  const unused = ({ stdout }: { readonly stdout: string }) =>
    [...stdout.matchAll(/^app\.ts:(\d+):\d+: \S+\[LNT1033\]/gm)].map(([, line]) => Number(line));
  expect(unused(await check(files, '--format', 'compact'))).toEqual([19, 28]);
  expect(unused(await check(files, '--format', 'compact', '--env', 'STAGE'))).toEqual([28]);
});

test('the code frames of findings in a program leave out secrets', async () => {
  const secret = 'hunter2-hunter2';
  const files = {
    'app.ts': `import { App, ApiObject, Chart } from 'cdk8s';
const app = new App();
const chart = new Chart(app, 'Eng');
const key = '${secret}'; new ApiObject(chart, 'Bad_Name', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'Bad_Name' }, stringData: { key } });
app.synth();
`,
  };
  const { stdout } = await check(files);
  expect(stdout).toContain('--> app.ts:4:');
  expect(stdout).not.toContain(secret);
});
