/** A stdio server of the official SDK, with a tool for each thing that a server may do. */
import { spawn } from 'node:child_process';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';

// Other programs of tests have NODE_COMPILE_CACHE in their environment; tests check the environment of this one, so it sets the cache here.
enableCompileCache(join(import.meta.dirname, '../../../node_modules/.cache/node-compile-cache'));
const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js');
const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
const { z } = await import('zod');
flushCompileCache();

const server = new McpServer({ name: 'peer', version: '1' }, { capabilities: { logging: {} } });
const text = value => ({
  content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }],
});
const tool = (name, inputSchema, run) => server.registerTool(name, { inputSchema }, run);

let calls = 0;
let cancelled = 0;

tool('echo', { text: z.string() }, ({ text: said }) => text(said));
tool('count', {}, () => text(String(++calls)));
tool('pid', {}, () => text(String(process.pid)));
tool('environment', {}, () => text(process.env));
tool('arguments', {}, () => text(process.argv.slice(2)));
tool('folder', {}, () => text(process.cwd()));
tool('elicit', {}, async () =>
  text(
    await server.server.elicitInput({
      message: 'Sure?',
      requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } } },
    }),
  ),
);
tool('sample', {}, async () =>
  text(
    await server.server.createMessage({
      messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }],
      maxTokens: 5,
    }),
  ),
);
tool('roots', {}, async () => text(await server.server.listRoots()));
tool('log', {}, async () => {
  await server.server.sendLoggingMessage({ level: 'info', data: 'a log of the call' });
  return text('logged');
});
tool('grow', {}, async () => {
  tool('grown', {}, () => text('grown'));
  return text('there is another tool');
});
tool('progress', { steps: z.number() }, async ({ steps }, { _meta, sendNotification }) => {
  for (let progress = 1; progress <= steps; progress += 1)
    await sendNotification({
      method: 'notifications/progress',
      params: { progressToken: _meta.progressToken, progress },
    });
  return text('done');
});
const cancel = () => {
  cancelled += 1;
};
tool('wait', {}, (_, { signal }) => new Promise(() => signal.addEventListener('abort', cancel)));
tool('cancelled', {}, () => text(String(cancelled)));
tool('complain', { words: z.string() }, ({ words }) => {
  process.stderr.write(`${words}\n`);
  process.stdout.write(`no message: ${words}\n`);
  return text('complained');
});
tool('answer-of', { bytes: z.number() }, ({ bytes }) => text('x'.repeat(bytes)));
tool('fill', { megabytes: z.number() }, ({ megabytes }) => {
  globalThis.filled = Array.from({ length: megabytes }, () => Buffer.alloc(2 ** 20, 1));
  return text('filled');
});
tool('crash', {}, () => process.exit(7));
/** Starts child processes: an ordinary one, one that ignores SIGTERM, and one that has left the process group. */
tool('children', {}, () => {
  const children = [
    spawn('sleep', ['600']),
    spawn('sh', ['-c', "trap '' TERM HUP; while :; do sleep 600; done"], { stdio: 'ignore' }),
    spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }),
  ];
  return text(children.map(({ pid }) => pid));
});

await server.connect(new StdioServerTransport());
