/**
 * `npm run bench:language-server [-- --gateways N] [-- --changes N] [-- --profile FOLDER] [-- --write]`: processor time and memory of `lintel
 * lsp` (`dist/`) under the requests of an editor; see README.md.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  CodeActionRequest,
  CodeLensRequest,
  CodeLensResolveRequest,
  CompletionRequest,
  HoverRequest,
  ReferencesRequest,
  SemanticTokensRequest,
} from 'vscode-languageserver-protocol/node';
import { VERSION } from '#schemas';
import { Editor } from '../support/editor.ts';
import { median } from './gateway/median.ts';
import { gatewayTexts } from './gateways.ts';

const { values } = parseArgs({
  options: {
    gateways: { type: 'string', default: '1000' },
    changes: { type: 'string', default: '30' },
    profile: { type: 'string' },
    write: { type: 'boolean' },
  },
});
const count = Number(values.gateways);
const changes = Number(values.changes);

interface Cost {
  /** How long a user waits; milliseconds. */
  readonly elapsed: number;
  /** Processor time of all threads of the server; milliseconds. */
  readonly processor: number;
}

interface Figure {
  readonly name: string;
  readonly costs: readonly Cost[];
  readonly budget?: string;
}

const folder = await mkdtemp(join(tmpdir(), 'lintel-bench-'));
try {
  const text = results(await measure());
  process.stdout.write(text);
  if (values.write === true) await writeFile(join(import.meta.dirname, 'language-server-results.md'), text);
} finally {
  await rm(folder, { recursive: true, force: true });
}

interface Result {
  readonly figures: readonly Figure[];
  readonly memory: readonly (readonly [name: string, mb: number, budget?: string])[];
}

async function measure(): Promise<Result> {
  const texts = gatewayTexts(count);
  for (const { file, text } of [{ file: '../lintel.yaml', text: 'sources: [specs]\n' }, ...texts]) {
    const path = join(folder, 'specs', file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  // A file with a finding even before a change: its arrival shows that the first findings are complete.
  const [shared, edited] = ['specs/shared.yaml', `specs/${texts[Math.floor(count / 6) * 3 + 1]?.file}`];
  const profile = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`];
  await using editor = await Editor.in(folder, { nodeOptions: profile });
  const { connection, pid } = editor;
  const textDocument = { uri: editor.uri(edited) };

  const first = await costOf(pid, async () => {
    await editor.open(edited);
    await editor.diagnostics(edited, list => list.length > 0);
  });
  const afterFirst = await memoryOf(pid);

  // Introduces and corrects an error in a field: the findings show which change they are for.
  const hasMistake = (list: readonly { readonly code?: unknown }[]) => list.some(({ code }) => code === 'LNT1011');
  const typed: Cost[] = [];
  for (let change = 0; change < changes; change++) {
    const [from, to] = change % 2 === 0 ? ['prefix\n', 'prefics\n'] : ['prefics\n', 'prefix\n'];
    typed.push(
      await costOf(pid, async () => {
        await editor.replace(edited, `conflictResolution: ${from}`, `conflictResolution: ${to}`);
        await editor.diagnostics(edited, list => hasMistake(list) === (change % 2 === 0));
      }),
    );
  }
  const lenses = async () => {
    const found = (await connection.sendRequest(CodeLensRequest.type, { textDocument })) ?? [];
    for (const lens of found) await connection.sendRequest(CodeLensResolveRequest.type, lens);
  };
  const at = editor.at(edited, 'groupRef:\n    na|me');
  const { position } = at;
  const asked: Figure[] = [];
  for (const [name, ask] of [
    ['hover', () => connection.sendRequest(HoverRequest.type, at)],
    ['completion', () => connection.sendRequest(CompletionRequest.type, at)],
    [
      'references of a group',
      () =>
        connection.sendRequest(ReferencesRequest.type, {
          ...editor.at(edited, 'metadata: { name: too|ls'),
          context: { includeDeclaration: true },
        }),
    ],
    ['colors', () => connection.sendRequest(SemanticTokensRequest.type, { textDocument })],
    ['code lenses with their texts', lenses],
    [
      'quick fixes',
      () =>
        connection.sendRequest(CodeActionRequest.type, {
          textDocument,
          range: { start: position, end: position },
          context: { diagnostics: [] },
        }),
    ],
  ] as const) {
    const costs: Cost[] = [];
    for (let round = 0; round < 10; round++) costs.push(await costOf(pid, ask));
    asked.push({ name, costs });
  }
  const saved: Cost[] = [];
  for (let change = 0; change < changes / 2; change++) {
    const [from, to] = change % 2 === 0 ? ['prefix\n', 'prefics\n'] : ['prefics\n', 'prefix\n'];
    saved.push(
      await costOf(pid, async () => {
        await editor.replace(edited, `conflictResolution: ${from}`, `conflictResolution: ${to}`);
        await writeFile(join(folder, edited), editor.text(edited));
        await editor.saved(edited);
        await editor.filesChanged(edited);
        await editor.diagnostics(edited, list => hasMistake(list) === (change % 2 === 0));
      }),
    );
  }
  await editor.open(shared);
  const reaching: Cost[] = [];
  for (let change = 0; change < 6; change++) {
    const [from, to] = change % 2 === 0 ? ['type: inline', 'type: inlin'] : ['type: inlin\n', 'type: inline\n'];
    reaching.push(
      await costOf(pid, async () => {
        await editor.replace(shared, from, to);
        await editor.diagnostics(shared, list => hasMistake(list) === (change % 2 === 0));
      }),
    );
  }
  const rested = await memoryOf(pid);
  await editor.shutdown();
  return {
    figures: [
      { name: `${count.toLocaleString('en')} gateways for the first time`, costs: [first] },
      { name: 'one change, as it is typed', costs: typed, budget: '100 ms' },
      { name: 'one change, saved', costs: saved },
      { name: 'a change of what all gateways of a namespace refer to', costs: reaching },
      ...asked,
    ],
    memory: [
      ['after the first findings', afterFirst.rss],
      ['after all of the above', rested.rss, '350 MB'],
      ['most at any time', rested.peak],
    ],
  };
}

/** Measures the time from a change to its findings, after which the server is idle. */
async function costOf(pid: number, work: () => Promise<unknown>): Promise<Cost> {
  const [begin, before] = [performance.now(), await processorOf(pid)];
  await work();
  return { elapsed: performance.now() - begin, processor: (await processorOf(pid)) - before };
}

/** Processor time of all threads so far; milliseconds. */
async function processorOf(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const times = await Promise.all(
    threads.map(thread => readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0')),
  );
  return times.reduce((sum, text) => sum + Number(text.split(' ')[0]) / 1e6, 0);
}

async function memoryOf(pid: number): Promise<{ readonly rss: number; readonly peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const of = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return { rss: of('VmRSS'), peak: of('VmHWM') };
}

function results({ figures, memory }: Result): string {
  const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
  const rows = figures.map(({ name, costs, budget = '' }) => {
    const [processor, elapsed] = [costs.map(one => one.processor), costs.map(one => one.elapsed)];
    return `| ${name} | ${ms(median(processor))} | ${ms(Math.min(...processor))} | ${ms(median(elapsed))} | ${budget} |`;
  });
  return `<!-- generated by npm run bench:language-server -- --write; do not edit -->

# Last result

Node ${process.version}, ${cpus().length} CPUs, load average at the end ${loadavg()[0]?.toFixed(1)}; lintel ${VERSION}; ${count.toLocaleString('en')} gateways, medians of ${changes} changes.

| figure | processor time | its least | elapsed | budget |
|---|---|---|---|---|
${rows.join('\n')}

| resident memory | | budget |
|---|---|---|
${memory.map(([name, mb, budget = '']) => `| ${name} | ${mb.toFixed(0)} MB | ${budget} |`).join('\n')}
`;
}
