/**
 * `npm run bench:compile [-- --large] [-- --rounds N] [-- --write]`: how long the compiler takes, next to the time that the `yaml` package alone
 * needs for the same bytes. Measures the built commands in `dist/`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { VERSION } from '#schemas';
import { gatewayTexts, loneGateway, type Text } from './gateways.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const ORIGIN = { compilerVersion: VERSION, sourceRevision: null };
const SMALL_SPEC = join(ROOT, 'examples/quickstart/specs');
const STARTS = 15;
const CHANGES = 15;

const { values } = parseArgs({
  options: {
    large: { type: 'boolean' },
    write: { type: 'boolean' },
    rounds: { type: 'string', default: '5' },
    dist: { type: 'string', default: join(ROOT, 'dist') },
  },
});
const dist = resolve(values.dist);
const { listBundleFiles, compile, createCompiler, findFiles, readTexts, SourceText }: typeof import('#compiler') =
  await import(pathToFileURL(join(dist, 'compiler.js')).href);

function compileSources(sources: ReturnType<typeof readTexts>, gateways: number): number {
  const compiled = compile(sources, { purpose: 'check', origin: ORIGIN });
  const { counts, diagnostics } = compiled.findings;
  if (compiled.gateways.length !== gateways || counts.error > 0 || !compiled.checked.complete) {
    const first = diagnostics.find(({ severity }) => severity === 'error') ?? diagnostics[0];
    throw new Error(`the generated gateways are not what they should be: ${JSON.stringify(first)}`);
  }
  return diagnostics.length;
}

function timed<T>(work: () => T): { readonly ms: number; readonly result: T } {
  // Collects the garbage of earlier work, so that it does not count for this one. Needs --expose-gc.
  globalThis.gc?.();
  const begin = performance.now();
  const result = work();
  return { ms: performance.now() - begin, result };
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

interface Process {
  readonly ms: number;
  readonly peakMb: number;
}

/** Measures a process from its start to its exit. A process that crashes, for example for lack of memory, has no figures. */
async function measureProcess(args: readonly string[]): Promise<Process | undefined> {
  const begin = performance.now();
  const preload = ['--import', join(import.meta.dirname, 'peak-memory.mjs')];
  const child = spawn(process.execPath, [...preload, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const peak = textOf(child.stdio[3] as Readable);
  const [code] = (await once(child, 'exit')) as [number | null];
  const ms = performance.now() - begin;
  return code === 0 ? { ms, peakMb: Number(await peak) / 1024 } : undefined;
}

const check = (path: string) => [join(dist, 'lintel.js'), 'check', '--format', 'compact', path];
const yamlAlone = (path: string) => [join(import.meta.dirname, 'yaml-alone.mjs'), path];

async function writeTexts(folder: string, texts: readonly Text[]): Promise<void> {
  for (const { file, text } of texts) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
}

interface Figures {
  readonly yaml: number;
  readonly read: number;
  readonly compile: number;
}

/** Runs the stages alternately in this process, so that a slow moment affects all of them. */
function measureStages(texts: readonly Text[], rounds: number): Figures {
  const samples: Figures[] = [];
  for (let round = 0; round < rounds; round++) {
    const yaml = timed(() => {
      for (const { text } of texts)
        for (const document of parseAllDocuments(text)) (document as { toJS(): unknown }).toJS();
    }).ms;
    const { ms: read, result } = timed(() => readTexts(texts.map(({ file, text }) => new SourceText(file, text))));
    samples.push({ yaml, read, compile: timed(() => compileSources(result, texts.length - 1)).ms });
  }
  const of = (figure: keyof Figures) => median(samples.map(sample => sample[figure]));
  return { yaml: of('yaml'), read: of('read'), compile: of('compile') };
}

const ms = (value: number) => (value < 10 ? value.toFixed(1) : value.toFixed(0));

function row(name: string, ours: number, yaml: number, unit = 'ms'): string {
  return `| ${name} | ${ms(ours)} ${unit} | ${ms(yaml)} ${unit} | ${(ours / yaml).toFixed(2)} |`;
}

async function scaleRows(count: number, folder: string): Promise<string[]> {
  const texts = gatewayTexts(count);
  const isLarge = count >= 10_000;
  const rounds = isLarge ? 1 : Number(values.rounds);
  const name = `${count.toLocaleString('en')} gateways`;
  const rows: string[] = [];
  if (!isLarge) {
    measureStages(texts.slice(0, 101), 1);
    const { yaml, read, compile: rest } = measureStages(texts, rounds);
    rows.push(
      row(`${name}: reading`, read, yaml),
      row(`${name}: checks, rules, lowering`, rest, yaml),
      row(`${name}: both`, read + rest, yaml),
    );
  }
  const path = join(folder, String(count));
  await writeTexts(path, texts);
  const ours: Process[] = [];
  const theirs: Process[] = [];
  for (let round = 0; round < rounds; round++) {
    const [a, b] = [await measureProcess(check(path)), await measureProcess(yamlAlone(path))];
    if (a === undefined || b === undefined) return [...rows, `| ${name}: \`lintel check\` | did not finish | | |`];
    ours.push(a);
    theirs.push(b);
  }
  const of = (samples: readonly Process[], figure: keyof Process) => median(samples.map(sample => sample[figure]));
  rows.push(
    row(`${name}: \`lintel check\`, whole process`, of(ours, 'ms'), of(theirs, 'ms')),
    row(`${name}: its peak memory`, of(ours, 'peakMb'), of(theirs, 'peakMb'), 'MB'),
  );
  return rows;
}

/** The time that `lintel dev` takes from a change in the file system to the bundles, in one long-lived process. */
async function changeRows(folder: string): Promise<string[]> {
  const texts = gatewayTexts(1_000);
  const path = join(folder, 'changing');
  await writeTexts(path, texts);
  const compiler = createCompiler();
  const cycle = () =>
    timed(() => {
      const sources = compiler.readSources(findFiles([path], { cwd: ROOT }).files, () => new Uint8Array());
      const { gateways } = compiler.compile(sources, { purpose: 'build', origin: ORIGIN });
      return listBundleFiles(gateways.flatMap(({ bundle }) => (bundle === null ? [] : [{ bundle }]))).files.length;
    }).ms;
  const first = cycle();
  const measured = async (change: (round: number) => Promise<void>): Promise<number[]> => {
    const samples: number[] = [];
    for (let round = 0; round < CHANGES; round++) {
      await change(round);
      samples.push(cycle());
    }
    return samples;
  };
  const appended = (index: number) => (round: number) => {
    const { file, text } = texts[index] as Text;
    return writeFile(join(path, file), `${text}# change ${round}\n`);
  };
  const rows = {
    'one gateway of 1,000 changed': await measured(appended(500)),
    'what all gateways of 20 namespaces refer to changed': await measured(appended(0)),
    'nothing of 1,000 changed': await measured(async () => {}),
  };
  return [
    `| 1,000 gateways for the first time | ${ms(first)} ms | |`,
    ...Object.entries(rows).map(
      ([name, samples]) =>
        `| ${name} | ${ms(median(samples))} ms (least ${ms(Math.min(...samples))}) | ${name.startsWith('one') ? '150 ms' : ''} |`,
    ),
  ];
}

async function startRows(folder: string): Promise<string[]> {
  const lone = join(folder, 'lone.yaml');
  await writeFile(lone, loneGateway());
  const samples = { bare: [] as number[], small: [] as number[], lone: [] as number[] };
  const runs = [
    [samples.bare, ['-e', '0']],
    [samples.small, check(SMALL_SPEC)],
    [samples.lone, check(lone)],
  ] as const;
  for (let run = 0; run <= STARTS; run++) {
    for (const [into, args] of runs) {
      const sample = await measureProcess(args);
      if (sample === undefined) throw new Error(`failed: node ${args.join(' ')}`);
      // The first run fills the file cache.
      if (run > 0) into.push(sample.ms);
    }
  }
  const figures = (name: string, of: readonly number[], budget: string) =>
    `| ${name} | ${ms(median(of))} ms (least ${ms(Math.min(...of))}) | ${budget} |`;
  return [
    figures('`node -e 0`', samples.bare, ''),
    figures('`lintel check` of the quickstart, whole process', samples.small, '250 ms'),
    figures('`lintel check` of one generated gateway with 5 policies, whole process', samples.lone, '400 ms'),
  ];
}

const folder = await mkdtemp(join(tmpdir(), 'lintel-bench-compile-'));
try {
  const counts = [100, 1_000, ...(values.large === true ? [10_000] : [])];
  const scales: string[] = [];
  for (const count of counts) scales.push(...(await scaleRows(count, folder)));
  const starts = [...(await changeRows(folder)), ...(await startRows(folder))];
  const texts = gatewayTexts(1_000).slice(1);
  const bytes = texts.reduce((sum, { text }) => sum + text.length, 0) / texts.length;
  const table = [
    `Node ${process.version}, ${cpus().length} CPUs, medians of ${values.rounds} rounds (${STARTS} for single files, 1 for 10,000 gateways);`,
    `load average at the end ${loadavg()[0]?.toFixed(1)}: far above the number of CPUs only ratios mean something;`,
    `lintel ${VERSION}. A gateway is ${(bytes / 1000).toFixed(1)} KB on average.`,
    '',
    '| figure | lintel | `yaml` package alone | ratio |',
    '|---|---|---|---|',
    ...scales,
    '',
    '| figure | time | budget |',
    '|---|---|---|',
    ...starts,
    '',
  ].join('\n');
  process.stdout.write(table);
  if (values.write === true) {
    await writeFile(
      join(import.meta.dirname, 'compile-results.md'),
      `<!-- generated by npm run bench:compile -- --write; do not edit -->\n\n# Last result\n\n${table}`,
    );
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
