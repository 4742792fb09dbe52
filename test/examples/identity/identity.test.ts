/** The example of a gateway with an identity provider works as its page in `docs/` shows. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Announcement, buildInto, FREE_PORTS, ready } from '../../e2e/served.ts';
import { runLintel } from '../../support/lintel.ts';
import { PROGRAM, ROOT, run, start } from '../../support/process.ts';

const EXAMPLE = join(ROOT, 'examples/identity');
const SPECS = readFileSync(join(EXAMPLE, 'specs/office.yaml'), 'utf8');
const PAGE = readFileSync(join(ROOT, 'docs/policies.md'), 'utf8');

const blocks = (language: string) =>
  [...PAGE.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, text = '']) => text);

/** Commands and their output. */
const TRANSCRIPT = (blocks('console')[0] ?? '')
  .split(/^\$ /m)
  .slice(1)
  .map(text => {
    const [command = '', ...lines] = text.trimEnd().split('\n');
    return { command, lines };
  });

test('the specs of the identity example have no warning, and the YAML in its README is an excerpt of these specs', async () => {
  const args = ['check', 'examples/identity/specs', '--fail-on', 'warning'];
  expect(await runLintel(args)).toMatchObject({ code: 0 });
  expect(SPECS).toContain(blocks('yaml')[0]);
});

test('the commands of the identity example print the output that its README shows', async () => {
  await using services = start(join(EXAMPLE, 'services.mjs'), ['--free-ports']);
  const { login, letters, ledger } = await services.announcement<Record<'login' | 'letters' | 'ledger', string>>();
  const here = SPECS.replaceAll('http://127.0.0.1:4510', login)
    .replace('http://127.0.0.1:4511', letters)
    .replace('http://127.0.0.1:4512', ledger);
  await using folder = await buildInto({ 'office.yaml': here });
  const env = Object.fromEntries([...PAGE.matchAll(/^export (\w+)='(.*)'$/gm)].map(([, name, value]) => [name, value]));
  const options = { cwd: folder.path, env: env as Record<string, string> };
  await using runtime = start(PROGRAM.runtime, ['--bundle', 'out', ...FREE_PORTS], options);
  const announcement = await runtime.announcement<Announcement>();
  await ready(announcement);
  const { url } = announcement;

  expect(TRANSCRIPT).toHaveLength(6);
  for (const { command, lines } of TRANSCRIPT) {
    const printed = command.startsWith('curl ') ? await challenge(url) : await called(command, url, login);
    const original = printed.replaceAll(login, 'http://127.0.0.1:4510');
    expect([command, original]).toEqual([command, lines.filter(line => line !== '…').join('\n')]);
  }
});

/** The lines that the page shows of `curl -si -X POST`. */
async function challenge(url: string): Promise<string> {
  const answer = await fetch(url, { method: 'POST' });
  const head = `HTTP/1.1 ${answer.status} ${answer.statusText}`;
  return [head, `WWW-Authenticate: ${answer.headers.get('www-authenticate')}`, await answer.text()].join('\n');
}

async function called(command: string, url: string, login: string): Promise<string> {
  const [, script = '', ...args] = command.match(/'[^']*'|\S+/g) ?? [];
  const plain = args.map(arg => arg.replace(/^'(.*)'$/, '$1'));
  const { stdout, stderr } = await run(join(ROOT, script), [...plain, '--gateway', url, '--login', login]);
  return `${stdout}${stderr}`.trimEnd();
}
