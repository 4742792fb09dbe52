/** `npm run bench [-- --runs N] [-- --write]`: start-up time and idle memory of the runtime next to a bare node:http server. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { compile, findFiles, listBundleFiles, readSources, writeFiles } from '#compiler';
import { VERSION } from '#schemas';
import { RawClient } from '../support/raw-client.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const QUICKSTART = join(ROOT, 'examples/quickstart');
const REST_MS = 1_000;

const { values } = parseArgs({ options: { runs: { type: 'string', default: '9' }, write: { type: 'boolean' } } });
const runs = Number(values.runs);

interface Sample {
  readonly startMs: number;
  readonly rssMb: number;
}

interface Started {
  readonly child: ChildProcess;
  readonly url: string;
}

/** Spawns a program that prints one JSON line with its `url`. */
async function start(args: readonly string[]): Promise<Started> {
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { child, url: (JSON.parse(line) as { url: string }).url };
}

async function stop({ child }: Started): Promise<void> {
  child.kill('SIGTERM');
  await once(child, 'exit');
}

async function measure(args: readonly string[], firstAnswer: (url: string) => Promise<void>): Promise<Sample> {
  const begin = performance.now();
  const started = await start(args);
  await firstAnswer(started.url);
  const startMs = performance.now() - begin;
  await new Promise(done => setTimeout(done, REST_MS));
  const status = await readFile(`/proc/${started.child.pid}/status`, 'utf8');
  const rssMb = Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  await stop(started);
  return { startMs, rssMb };
}

async function listTools(url: string): Promise<void> {
  const client = new RawClient(url);
  await client.open();
  const { tools } = await client.result<{ tools: unknown[] }>('tools/list');
  if (tools.length !== 5) throw new Error(`expected the five tools of the quickstart, got ${tools.length}`);
}

async function getAnything(url: string): Promise<void> {
  await (await fetch(url)).text();
}

/** The quickstart's bundle with the actual addresses of the example servers. */
async function quickstartBundle(folder: string, notes: Started, climate: Started): Promise<void> {
  const { files } = findFiles([join(QUICKSTART, 'specs')], { cwd: ROOT });
  const { gateways } = compile(
    readSources(files, () => new Uint8Array()),
    { purpose: 'build', origin: { compilerVersion: VERSION, sourceRevision: null } },
  );
  const urls = new Map([
    ['notes', notes.url],
    ['climate', climate.url],
  ]);
  const built = gateways.flatMap(({ bundle }) => {
    if (bundle === null) return [];
    const backends = bundle.backends.map(backend => ({ ...backend, url: urls.get(backend.name) ?? backend.url }));
    return [{ bundle: { ...bundle, backends } }];
  });
  await writeFiles(folder, listBundleFiles(built).files);
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function row(name: string, unit: string, ours: readonly number[], baseline: readonly number[], budget: string): string {
  const [a, b] = [median(ours), median(baseline)];
  const spread = `${Math.min(...ours).toFixed(0)} to ${Math.max(...ours).toFixed(0)}`;
  return `| ${name} | ${a.toFixed(0)} ${unit} (${spread}) | ${b.toFixed(0)} ${unit} | ${(a / b).toFixed(2)} | ${budget} |`;
}

const folder = await mkdtemp(join(tmpdir(), 'lintel-bench-'));
const server = (name: string) => start([join(QUICKSTART, 'servers', `${name}.mjs`), '--port', '0']);
const [notes, climate] = await Promise.all([server('notes'), server('climate')]);
try {
  await quickstartBundle(folder, notes, climate);
  const runtime = ['dist/lintel-runtime.js', '--bundle', folder, '--port', '0', '--internal-address', '127.0.0.1:0'];
  const bare = [join(import.meta.dirname, 'bare-http.mjs')];
  const ours: Sample[] = [];
  const baseline: Sample[] = [];
  // The first run of each is not counted: it fills the file cache. Then they alternate, so that a slow moment affects both.
  for (let run = 0; run <= runs; run++) {
    const [a, b] = [await measure(runtime, listTools), await measure(bare, getAnything)];
    if (run > 0) ours.push(a);
    if (run > 0) baseline.push(b);
  }
  const table = [
    `Node ${process.version}, ${cpus().length} CPUs, median of ${runs} runs (least to most); lintel ${VERSION}.`,
    '',
    '| figure | lintel-runtime | bare node:http | ratio | budget |',
    '|---|---|---|---|---|',
    row(
      'start to first tools/list',
      'ms',
      ours.map(s => s.startMs),
      baseline.map(s => s.startMs),
      '400 ms',
    ),
    row(
      'resting memory (RSS)',
      'MB',
      ours.map(s => s.rssMb),
      baseline.map(s => s.rssMb),
      '90 MB',
    ),
    '',
  ].join('\n');
  process.stdout.write(table);
  if (values.write === true) {
    await writeFile(
      join(import.meta.dirname, 'results.md'),
      `<!-- generated by npm run bench -- --write; do not edit -->\n\n# Last result\n\n${table}`,
    );
  }
} finally {
  await Promise.all([stop(notes), stop(climate)]);
  await rm(folder, { recursive: true, force: true });
}
