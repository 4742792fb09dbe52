/**
 * `npm run bench:program [-- --runs N] [-- --write]`: how long a cold `lintel check app.ts` of 20 gateways takes, next to a start of Node, `tsc
 * --noEmit` and `cdk8s synth` of the same program. Measures the built command in `dist/`.
 */
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = resolve(import.meta.dirname, '../..');
const RESULTS = join(import.meta.dirname, 'program-results.md');
const GATEWAYS = 20;

const { values } = parseArgs({ options: { runs: { type: 'string', default: '9' }, write: { type: 'boolean' } } });
const runs = Number(values.runs);

const PROGRAM = `import { App, Chart } from 'cdk8s';
import { Backend, Caller, Gateway, Group, Incoming } from 'lintel/cdk8s';

const app = new App();
for (let index = 0; index < ${GATEWAYS}; index += 1) {
  const chart = new Chart(app, \`team-\${index}\`, { namespace: 'mcp' });
  const group = new Group(chart, \`group-\${index}\`);
  Backend.entry(chart, \`backend-\${index}\`, { group, transport: 'streamable-http', remoteUrl: 'https://mcp.example.com/mcp' });
  const gateway = new Gateway(chart, \`gateway-\${index}\`, { group, incoming: Incoming.anonymous() });
  gateway.grant(Caller.any()).everything();
}
app.synth();
`;

const folder = await mkdtemp(join(tmpdir(), 'lintel-bench-program-'));
await mkdir(join(folder, 'node_modules'));
for (const name of ['cdk8s', 'constructs', 'esbuild', 'typescript', 'cdk8s-cli']) {
  await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
}
await symlink(ROOT, join(folder, 'node_modules/lintel'));
await writeFile(join(folder, 'package.json'), '{ "type": "module" }\n');
await writeFile(join(folder, 'app.ts'), PROGRAM);
await writeFile(join(folder, 'cdk8s.yaml'), 'language: typescript\napp: node app.ts\n');
await writeFile(
  join(folder, 'tsconfig.json'),
  '{ "compilerOptions": { "strict": true, "target": "es2022", "module": "nodenext", "skipLibCheck": true, "noEmit": true, "types": [] }, "files": ["app.ts"] }\n',
);

const lintel = join(ROOT, 'dist/lintel.js');
const CASES: Readonly<Record<string, readonly string[]>> = {
  'a start of Node': ['-e', '0'],
  'node app.ts': ['app.ts'],
  'tsc --noEmit': ['node_modules/typescript/bin/tsc', '-p', '.'],
  'cdk8s synth': ['node_modules/cdk8s-cli/bin/cdk8s', 'synth'],
  'lintel check --no-typecheck app.ts': [lintel, 'check', '--no-typecheck', 'app.ts'],
  'lintel check app.ts': [lintel, 'check', 'app.ts'],
};

function once(name: string, args: readonly string[]): number {
  const begin = performance.now();
  const env = { PATH: process.env.PATH, HOME: folder, CHECKPOINT_DISABLE: '1' };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', env });
  const ms = performance.now() - begin;
  if (status !== 0) throw new Error(`${name} ended with ${status}: ${stdout}${stderr}`);
  return ms;
}

const times = new Map(Object.keys(CASES).map(name => [name, [] as number[]]));
// The programs alternate, so that other load on the machine affects all of them.
for (let run = 0; run < runs; run += 1) {
  for (const [name, args] of Object.entries(CASES)) times.get(name)?.push(once(name, args));
}
await rm(folder, { recursive: true, force: true });

const rows = [...times].map(([name, all]) => {
  const sorted = all.toSorted((a, b) => a - b);
  const at = (part: number) => Math.round(sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN);
  return `| ${name} | ${at(0.5)} | ${at(0)} |`;
});
const table = `# One program with ${GATEWAYS} gateways

${runs} runs in turns, milliseconds. Node ${process.versions.node}, ${cpus().length} cores (${cpus()[0]?.model}), load ${loadavg()[0]?.toFixed(1)}.
Budgets: 3000 with types, 900 without.

| | median | least |
|---|---|---|
${rows.join('\n')}
`;
process.stdout.write(table);
if (values.write) await writeFile(RESULTS, table);
