/**
 * Runs a gateway whose clients see two tools in place of 60, with five MCP servers, a service that embeds texts, and a client that finds
 * tools and calls the best one.
 *
 *     node examples/optimizer/office.mjs
 *     node examples/optimizer/office.mjs "who is ill today"
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const HERE = import.meta.dirname;
const LINTEL = path.resolve(HERE, '..', '..', 'dist', 'lintel.js');

/** The MCP servers, and the ports that the spec names for them. */
const SERVERS = { calendar: 4531, mail: 4532, billing: 4533, projects: 4534, people: 4535 };
const EMBEDDINGS = 'http://127.0.0.1:4536';

/** Number of tools of all servers together. */
const TOOLS = 60;

/** What the client looks for. The second text has no word in common with the tool that it describes. */
const WISHES = ['book a room for the workshop', 'a client owes us money: nudge them'];

const [wish] = process.argv.slice(2);

/** The folder with a copy of the specs that names the ports on which the servers listen. */
const folder = mkdtempSync(path.join(tmpdir(), 'lintel-optimizer-'));

/** @type {import('node:child_process').ChildProcess[]} */
const children = [];
try {
  await copySpecs();
  const specs = path.join(folder, 'specs');
  const { url, internal } = await start(LINTEL, 'serve', specs, '--port', '0', '--internal-address', '127.0.0.1:0');
  await everyToolIsEmbedded(internal);
  const client = new Client({ name: 'office', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const { tools } = await client.listTools();
  console.log(`tools: ${tools.map(({ name }) => name).join(', ')}`);
  for (const description of wish === undefined ? WISHES : [wish]) await fulfil(client, description);
  await client.close();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await Promise.all(children.map(end));
  rmSync(folder, { recursive: true });
}

/** Acts as an agent does: finds tools, chooses the best one, and calls it. @param {Client} client @param {string} description */
async function fulfil(client, description) {
  const { tools, token_metrics: tokens, notice } = await find(client, description);
  console.log(`\n${description}`);
  if (notice !== undefined) console.log(`  ${notice}`);
  console.log(`  found: ${tools.map(({ name }) => name).join(', ')} (${tokens.savings_percent} % of the tokens saved)`);
  const [best] = tools;
  if (best === undefined) return;
  const result = await client.callTool({
    name: 'call_tool',
    arguments: { tool_name: best.name, parameters: argumentsFor(best.inputSchema) },
  });
  console.log(`  ${best.name} answered: ${result.content[0].text}`);
}

async function find(client, description) {
  const { structuredContent } = await client.callTool({
    name: 'find_tool',
    arguments: { tool_description: description },
  });
  return structuredContent;
}

/** Arguments that a tool's input schema accepts. A model would take the values from the conversation. */
function argumentsFor({ properties = {} }) {
  const pairs = Object.entries(properties).map(([name, { type }]) => [name, type === 'string' ? `some ${name}` : 1]);
  return Object.fromEntries(pairs);
}

/** Waits until the gateway has a vector of every tool. @param {string} internal URL of the gateway's internal address */
async function everyToolIsEmbedded(internal) {
  for (;;) {
    const { optimizer } = await (await fetch(`${internal}/status`)).json();
    if (optimizer.indexed === TOOLS && optimizer.embeddings.waiting === 0 && optimizer.search === 'hybrid') return;
    await setTimeout(100);
  }
}

async function copySpecs() {
  cpSync(path.join(HERE, 'specs'), path.join(folder, 'specs'), { recursive: true });
  cpSync(path.join(HERE, 'lintel.lock.json'), path.join(folder, 'lintel.lock.json'));
  const file = path.join(folder, 'specs', 'office.yaml');
  let spec = readFileSync(file, 'utf8');
  for (const [name, port] of Object.entries(SERVERS)) {
    const { url } = await start(path.join(HERE, 'servers', 'office.mjs'), name, '--port', '0');
    spec = spec.replace(`http://127.0.0.1:${port}/mcp`, url);
  }
  const { url } = await start(path.join(HERE, 'servers', 'embeddings.mjs'), '--port', '0');
  writeFileSync(file, spec.replace(EMBEDDINGS, url));
}

/** @param {import('node:child_process').ChildProcess} child */
async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/**
 * Starts a program whose first line of output is JSON with the URL on which it listens.
 *
 * @param {string} script @param {string[]} args @returns {Promise<{ url: string }>}
 */
function start(script, ...args) {
  // The gateway stores vectors of texts in its state folder, for its next start. In this example they are deleted with `folder`.
  const env = { ...process.env, XDG_STATE_HOME: path.join(folder, 'state') };
  const child = spawn(process.execPath, [script, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', text => (said = (said + text).slice(-2_000)));
  return new Promise((resolve, reject) => {
    child.once('close', code => reject(new Error(`${path.basename(script)} ended with ${code}\n${said}`)));
    createInterface({ input: child.stdout }).once('line', line => resolve(JSON.parse(line)));
  });
}
