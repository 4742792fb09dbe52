/**
 * Runs the whole example on this machine: the identity provider of a company, an MCP server that accepts the provider's tokens, and the
 * gateway of the specs. Ctrl-C ends all of them.
 *
 *     node examples/sign-in/serve.mjs
 */
import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startCompany } from './company.mjs';
import { startNotes } from './notes.mjs';

/** The ports. The defaults are the ports that the specs name; tests choose other ports. */
const { values } = parseArgs({
  options: {
    gateway: { type: 'string', default: '4483' },
    company: { type: 'string', default: '4520' },
    notes: { type: 'string', default: '4521' },
    internal: { type: 'string', default: '8081' },
  },
});
const here = name => fileURLToPath(new URL(name, import.meta.url));
const gateway = `http://127.0.0.1:${values.gateway}`;
const client = { id: 'gateway', secret: 'the secret of the gateway', redirectUri: `${gateway}/oauth/callback` };

const company = await startCompany({ port: Number(values.company), client });
const notes = await startNotes({ port: Number(values.notes), company });

const specs = await mkdtemp(join(tmpdir(), 'lintel-sign-in-'));
await cp(here('specs'), specs, { recursive: true });
const text = await readFile(join(specs, 'team.yaml'), 'utf8');
const moved = { 'http://127.0.0.1:4483': gateway, 'http://127.0.0.1:4520': company, 'http://127.0.0.1:4521': notes };
await writeFile(
  join(specs, 'team.yaml'),
  Object.entries(moved).reduce((spec, [from, to]) => spec.replaceAll(from, to), text),
);

const args = [
  'serve',
  specs,
  '--no-config',
  '--port',
  values.gateway,
  '--internal-address',
  `127.0.0.1:${values.internal}`,
];
const child = spawn(process.execPath, [here('../../dist/lintel.js'), ...args], {
  stdio: 'inherit',
  // The bundle contains the name of the secret, not its value. In a cluster, the value comes from a mounted Secret.
  env: { ...process.env, LINTEL_UPSTREAM_CLIENT_SECRET_COMPANY: client.secret },
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', async code => {
  await rm(specs, { recursive: true, force: true });
  process.exit(code ?? 0);
});
