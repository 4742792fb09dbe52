/** The output of `lintel find`: each golden is a call, its exit code and its output. */
import { cp } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { expectGolden } from '../../support/golden.ts';
import { runLintel } from '../../support/lintel.ts';
import { ROOT, temporaryFolder } from '../../support/process.ts';
import { GROUP, gateway } from '../specs.ts';

const CALLS: readonly (readonly string[])[] = [
  ['find', 'look something up in my notes', 'specs'],
  ['find', 'store a text', '--as', 'callers/ann.json', 'specs'],
  ['find', 'store a text', '--as', 'callers/guest.json', 'specs'],
  ['find', 'notes', '--format', 'json', 'specs'],
  ['find', 'quantum chromodynamics', 'specs'],
  ['find', 'the', 'specs'],
  ['find', 'notes', '--gateway', 'other', 'specs'],
  ['find', 'notes', '--catalog', 'empty-lock.json', 'specs'],
  ['find', 'notes', 'broken'],
  ['find', 'notes', '--embedding-url', 'http://127.0.0.1:65534', 'specs'],
  ['find', 'notes', '--embedding-url', 'http://127.0.0.1:6000', 'specs'],
  ['find', 'notes', '--embedding-url', 'localhost:4000', 'specs'],
  ['find', 'notes', '--embedding-url', 'http://localhost:99999', 'specs'],
  ['find', '', 'specs'],
  ['find', 'notes', '--as', '-', '-'],
];

async function folder() {
  const made = await temporaryFolder({
    'broken/spec.yaml': `${GROUP}---\n${gateway('open').replace('anonymous', 'anonimous')}`,
    'empty-lock.json': '{ "lockfileVersion": 1, "backends": {} }\n',
  });
  await cp(join(ROOT, 'examples/policies'), made.path, { recursive: true });
  return made;
}

test("`lintel find` prints the results of the gateway's find_tool as in the golden file", async () => {
  await using made = await folder();
  const texts: string[] = [];
  for (const call of CALLS) {
    const { code, stdout, stderr } = await runLintel([...call], { cwd: made.path });
    const errors = stderr === '' ? '' : `--- standard error\n${stderr}`;
    const line = call.map(word => (/^[-\w./:]+$/.test(word) ? word : JSON.stringify(word))).join(' ');
    texts.push(`$ lintel ${line}\nexit code ${code}\n${stdout}${errors}`);
  }
  expectGolden(join(import.meta.dirname, 'find'), new Map([['find.txt', texts.join('\n')]]));
});

test('`lintel find` also ranks tools by meaning, and sends the embedding service batches of the size that it accepts', async () => {
  await using made = await folder();
  const batches: number[] = [];
  // Only texts about the weather are near to "umbrella".
  const vectorOf = (input: string) => (/umbrella|climate|weather/i.test(input) ? [1, 0] : [0, 1]);
  const service = createServer(async (request, response) => {
    if (request.url === '/info') return void response.end('{"model_id":"m","max_client_batch_size":3}');
    const { inputs } = JSON.parse(await text(request)) as { readonly inputs: readonly string[] };
    batches.push(inputs.length);
    response.end(JSON.stringify(inputs.map(vectorOf)));
  });
  await new Promise<void>(resolve => service.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void service.close());
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/`;
  const args = ['find', 'umbrella', '--embedding-url', url, '--format', 'json', 'specs'];
  const { code, stdout, stderr } = await runLintel(args, { cwd: made.path });
  expect(stderr).toBe('');
  expect(code).toBe(0);
  const { search, searched, tools } = JSON.parse(stdout) as {
    readonly [member: string]: unknown;
    readonly tools: readonly { readonly name: string }[];
  };
  expect(search).toBe('hybrid');
  expect(tools[0]?.name).toMatch(/^climate_/);
  expect(batches.every(size => size <= 3)).toBe(true);
  expect(batches.reduce((sum, size) => sum + size, 0)).toBe(Number(searched) + 1);
});
