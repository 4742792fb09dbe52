/** A program that names locked tools before there is a lock, as every new user's does. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { startRawServer } from '../../support/raw-server.ts';
import { offering } from '../lock/peers.ts';
import { project } from './project.ts';

const tool = (name: string) => ({
  name,
  inputSchema: { type: 'object', properties: { page: { type: 'string' } }, required: ['page'] },
  outputSchema: {
    type: 'object',
    properties: { pages: { type: 'array', items: { type: 'string' } } },
    required: ['pages'],
  },
});

const program = (url: string, use: string) => `import { App, Chart } from 'cdk8s';
import { Backend, Caller, Gateway, Group, Incoming, t, Workflow } from 'lintel/cdk8s';
import { catalog } from './lintel.lock.ts';

const app = new App();
const chart = new Chart(app, 'eng', { namespace: 'mcp' });
const group = new Group(chart, 'eng');
const web = Backend.inline({ name: 'web', url: '${url}', transport: 'streamable-http', locked: catalog.web });
const gateway = new Gateway(chart, 'eng-gateway', { group, incoming: Incoming.anonymous() });
gateway.addBackend(web);
${use}
export default app;
`;

const USE = `gateway.expose(web.tools.edit);
gateway.rename(web.tools.edit, 'write');
gateway.grant(Caller.any()).call(web.tools.edit, web.tool('edit'));
const workflow = new Workflow(gateway, 'twice', { description: 'edits twice', input: { page: 'string' } });
const found = workflow.step('first', web.tools.edit, { page: workflow.input.page });
workflow.step('second', web.tools.edit, { page: t\`\${found.output.pages[0]} again\` });
`;

test('`lintel lock` works for a program that names a tool before the tool lock has it', async () => {
  let names = ['edit'];
  const server = await startRawServer(offering(() => names.map(tool)));
  await using _ = { [Symbol.asyncDispose]: () => server.close() };
  const url = `${server.origin}/mcp`;
  await using folder = await project({ 'app.ts': program(url, USE) });
  const lintel = (...args: string[]) => runLintel(args, { cwd: folder.path });
  const check = async (...args: string[]) =>
    (await lintel('check', 'app.ts', '--language-only', '--format', 'json', ...args)).stdout;

  expect(JSON.parse(await check('--no-typecheck')).diagnostics).toMatchObject([
    {
      code: 'LNT1073',
      message: 'there is no module "./lintel.lock.ts"',
      range: { start: { line: 3 } },
      fix: 'run `lintel lock app.ts --types`, which asks the backends and writes it',
    },
  ]);
  const locked = await lintel('lock', 'app.ts', '--types');
  expect([locked.code, locked.stderr]).toEqual([0, 'lintel: wrote lintel.lock.json\nlintel: wrote lintel.lock.ts\n']);
  expect(await check()).toContain('"error": 0');

  names = ['edit', 'erase'];
  await folder.write({ 'app.ts': program(url, `${USE}gateway.expose(web.tools.erase);\n`) });
  expect(await check()).toContain("Property 'erase' does not exist");
  const again = await lintel('lock', 'app.ts');
  expect([again.code, again.stderr]).toEqual([0, 'lintel: wrote lintel.lock.json\nlintel: wrote lintel.lock.ts\n']);
  expect(await readFile(folder.file('lintel.lock.ts'), 'utf8')).toContain('erase');
  expect(await check()).toContain('"error": 0');
});

test('lintel lets programs import a lintel.lock.ts that a person wrote, and does not change this file', async () => {
  await using folder = await project({
    'co/app.ts': `import { catalog } from './lintel.lock.ts';\nthrow new Error(catalog);\n`,
    'co/lintel.lock.ts': `export const catalog = 'my own';\n`,
    'co/other.ts': `import { catalog } from './more/lintel.lock.js';\nexport default catalog;\n`,
  });
  const lintel = (...args: string[]) => runLintel(args, { cwd: folder.path });
  expect((await lintel('lock', 'co/app.ts')).stderr).toContain('some sources have errors');
  expect((await lintel('check', 'co/app.ts', '--no-typecheck')).stdout).toContain('throws Error: my own');
  expect((await lintel('check', 'co/other.ts', '--no-typecheck')).stdout).toContain(
    'run `lintel lock co/other.ts --types --out co/more/lintel.lock.json`, which asks',
  );
});
