/**
 * Two MCP servers, one spec, one gateway.
 *
 *     npm run quickstart             serves until Ctrl-C and follows edits of the specs
 *     npm run quickstart -- --once   lists the tools, calls one, and ends
 */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Child } from './parts/child.mjs';
import { Failure } from './parts/failure.mjs';
import { nextSteps } from './parts/next-steps.mjs';
import { parentIsGone } from './parts/parent.mjs';
import { isFree } from './parts/ports.mjs';
import { copySpecs } from './parts/specs.mjs';
import { backendOf, toolChanges, toolTable } from './parts/tools-text.mjs';

const ROOT = path.resolve(import.meta.dirname, '..', '..');
const LINTEL = path.join('dist', 'lintel.js');
const HERE = path.join('examples', 'quickstart');
const SPECS = path.join(HERE, 'specs');

/** The backends of the spec, and the ports that it gives them. */
const SERVERS = [
  { name: 'notes', port: 4501 },
  { name: 'climate', port: 4502 },
];
const BACKENDS = SERVERS.map(({ name }) => name);
const GATEWAY_PORT = 4483;
const INTERNAL_PORT = 8081;

const CALL = { name: 'notes_search', arguments: { query: 'rollback' } };

/** How long a program may take until it is ready; milliseconds. */
const READY_LIMIT_MS = 30_000;

/**
 * If the gateway is not ready after this time, the quickstart prints what `lintel dev` wrote to standard error: the specs may have a mistake
 * that `lintel dev` waits for the person to correct; milliseconds.
 */
const PATIENCE_MS = 5_000;

const once = readOptions();
/** @type {Child[]} */
const children = [];
/** @type {string | undefined} */
let copyOfSpecs;
const death = Promise.withResolvers();

try {
  await Promise.race([interruption(), death.promise, demonstrate()]);
} catch (error) {
  console.error(error instanceof Failure ? `\nquickstart: ${error.message}` : error);
  process.exitCode = 1;
}
await Promise.all(children.map(child => child.stop()));
if (copyOfSpecs !== undefined) await rm(copyOfSpecs, { recursive: true, force: true });
process.exit();

/** Runs the demonstration. With `--once` the promise resolves after the call; otherwise it never resolves. */
async function demonstrate() {
  if (!existsSync(path.join(ROOT, LINTEL))) {
    throw new Failure(`${LINTEL} is missing: run "npm ci" first, or "npm run build" if that was done`);
  }
  const { connect } = await import('./parts/client.mjs');

  const specs = await startServers();
  const { lintel, url, internal, gateway } = await startGateway(specs);
  /** @type {import('./parts/tools-text.mjs').Tool[]} */
  let shown = [];
  const client = await connect(url, tools => {
    const changes = toolChanges(shown, tools);
    if (changes !== '') console.log(`\nThe tools changed:\n${changes}`);
    shown = tools;
  });
  ({ tools: shown } = await client.listTools());
  console.log(`\nTools of ${gateway}:\n\n${toolTable(shown, BACKENDS)}\n`);
  if (once) requireAllBackends(shown);
  if (once || shown.some(({ name }) => name === CALL.name)) await showOneCall(client);
  if (once) return client.close();

  console.log(nextSteps({ url, internal, spec: path.join(specs, 'quickstart.yaml') }));
  console.log('\nServing; Ctrl-C stops everything.\n');
  lintel.follow(line => console.error(line));
  return new Promise(() => {});
}

/** Starts both MCP servers. Returns the folder of the specs to serve: a copy if a server listens on another port than the specs name. */
async function startServers() {
  const urls = await Promise.all(SERVERS.map(startServer));
  const moves = SERVERS.map(({ port }, at) => [`http://127.0.0.1:${port}/mcp`, urls[at]]);
  const moved = new Map(moves.filter(([written, actual]) => written !== actual));
  if (moved.size === 0) return SPECS;
  copyOfSpecs = await copySpecs(path.join(ROOT, SPECS), moved);
  if (!once) console.log(`\nA port of the specs is taken, so a copy with the port above is served: ${copyOfSpecs}\n`);
  return copyOfSpecs;
}

/** @returns {Promise<string>} the URL of the server's MCP endpoint */
async function startServer({ name, port }) {
  const server = start(name, [path.join(HERE, 'servers', `${name}.mjs`), '--port', await portFor(port)]);
  const { url } = await server.announcement(READY_LIMIT_MS);
  console.log(`${name.padEnd(7)}  ${url}`);
  return url;
}

/** @param {string} specs the folder of the specs to serve */
async function startGateway(specs) {
  const [port, internalPort] = [await portFor(GATEWAY_PORT), await portFor(INTERNAL_PORT)];
  const verb = once ? 'serve' : 'dev';
  const args = [LINTEL, verb, specs, '--port', port, '--internal-address', `127.0.0.1:${internalPort}`];
  if (process.stderr.isTTY) args.push('--log-format', 'text');
  const lintel = start(`lintel ${verb}`, args);
  const impatience = setTimeout(() => {
    if (once) return;
    console.error(`\nlintel dev does not serve yet. It says:\n\n${lintel.tail}`);
    lintel.follow(line => console.error(line));
  }, PATIENCE_MS);
  const { url, internal, gateway } = await lintel.announcement(once ? READY_LIMIT_MS : undefined);
  clearTimeout(impatience);
  console.log(`gateway  ${url}`);
  return { lintel, url, internal, gateway };
}

/** @param {import('@modelcontextprotocol/sdk/client/index.js').Client} client */
async function showOneCall(client) {
  const result = await client.callTool(CALL).catch(error => {
    throw new Failure(`the call of ${CALL.name} failed: ${error.message}`);
  });
  if (result.isError) throw new Failure(`${CALL.name} failed: ${result.content[0]?.text}`);
  console.log(`A call of ${CALL.name} with ${JSON.stringify(CALL.arguments)}:\n`);
  for (const { title, snippet } of result.structuredContent.matches) console.log(`  ${title}\n    ${snippet}`);
  console.log();
}

function requireAllBackends(tools) {
  for (const backend of BACKENDS) {
    const isListed = tools.some(({ name }) => backendOf(name, BACKENDS) === backend);
    if (!isListed) throw new Failure(`no tool of ${backend} is listed`);
  }
}

/** @param {string[]} args */
function start(name, args) {
  const child = new Child({ name, args, cwd: ROOT, onDeath: death.reject });
  children.push(child);
  return child;
}

/**
 * The usual port if it is free; otherwise 0, for any free port. With `--once` always 0, so that the run does not conflict with programs that
 * run already.
 */
async function portFor(usual) {
  return String(!once && (await isFree(usual)) ? usual : 0);
}

async function interruption() {
  const { promise, resolve } = Promise.withResolvers();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, resolve);
  void parentIsGone().then(resolve);
  const signal = await promise;
  if (once) throw new Failure(`interrupted by ${signal}`);
}

/** Returns whether `--once` was given. */
function readOptions() {
  try {
    return parseArgs({ options: { once: { type: 'boolean', default: false } } }).values.once;
  } catch (error) {
    console.error(`quickstart: ${error.message}\nUsage: npm run quickstart [-- --once]`);
    process.exit(2);
  }
}
