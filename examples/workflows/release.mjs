/**
 * Runs the workflow `release`: with two MCP servers, a gateway, and a client that shows the workflow's question on this terminal.
 *
 *     node examples/workflows/release.mjs          asks you
 *     node examples/workflows/release.mjs --yes    answers for you
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const { values } = parseArgs({ options: { yes: { type: 'boolean', default: false } } });
const HERE = import.meta.dirname;
const LINTEL = path.resolve(HERE, '..', '..', 'dist', 'lintel.js');

/** The MCP servers, and the ports that the spec names for them. */
const SERVERS = { tracker: '4511', releases: '4512' };

/** The folder with a copy of the specs that names the ports on which the servers listen. */
const folder = mkdtempSync(path.join(tmpdir(), 'lintel-workflows-'));

/** @type {import('node:child_process').ChildProcess[]} */
const children = [];
try {
  await copySpecs();
  const { url } = await start(
    LINTEL,
    'serve',
    path.join(folder, 'specs'),
    '--port',
    '0',
    '--internal-address',
    '127.0.0.1:0',
  );
  const client = new Client({ name: 'release', version: '1.0.0' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params.message));
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const tools = await toolsOf(client);
  console.log(`tools: ${tools.map(({ name }) => name).join(', ')}`);
  const result = await client.callTool({ name: 'release', arguments: { version: '1.4.0', milestone: '1.4' } });
  console.log(JSON.stringify(result.structuredContent ?? result.content, null, 2));
  await client.close();
  process.exitCode = result.isError === true ? 1 : 0;
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  for (const child of children) child.kill('SIGTERM');
  rmSync(folder, { recursive: true });
}

async function copySpecs() {
  cpSync(path.join(HERE, 'specs'), path.join(folder, 'specs'), { recursive: true });
  cpSync(path.join(HERE, 'lintel.lock.json'), path.join(folder, 'lintel.lock.json'));
  const spec = path.join(folder, 'specs', 'release-desk.yaml');
  for (const [name, port] of Object.entries(SERVERS)) {
    const { url } = await start(path.join(HERE, 'servers', `${name}.mjs`), '--port', '0');
    writeFileSync(spec, readFileSync(spec, 'utf8').replace(`http://127.0.0.1:${port}/mcp`, url));
  }
}

/** Waits for the workflow: the gateway lists it once it has the tools of its backends. @param {Client} client */
async function toolsOf(client) {
  for (;;) {
    const { tools } = await client.listTools();
    if (tools.length > 0) return tools;
    await setTimeout(100);
  }
}

/** Answers the question of the workflow. @param {string} message the question */
async function answer(message) {
  console.log(message);
  const title = values.yes ? 'Proxies and tables' : await typed('Title of the release, or nothing to decline: ');
  return title === '' ? { action: 'decline' } : { action: 'accept', content: { title } };
}

/** Reads one line from the terminal. @param {string} question @returns {Promise<string>} */
function typed(question) {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  return new Promise(resolve => {
    terminal.question(question, line => {
      terminal.close();
      resolve(line.trim());
    });
  });
}

/**
 * Starts a program whose first line of output is JSON with the URL on which it listens.
 *
 * @param {string} script @param {string[]} args @returns {Promise<{ url: string }>}
 */
function start(script, ...args) {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', text => (said = (said + text).slice(-2_000)));
  return new Promise((resolve, reject) => {
    child.once('close', code => reject(new Error(`${path.basename(script)} ended with ${code}\n${said}`)));
    createInterface({ input: child.stdout }).once('line', line => resolve(JSON.parse(line)));
  });
}
