/**
 * A stdio server without a library, which starts as fast as Node does. With `stays` it keeps running after its input has ended. With `gate FILE`
 * it answers `initialize` only once the file exists.
 */
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';

const say = message => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
if (process.argv.includes('stays')) {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1_000);
}
if (process.argv.includes('silent')) setInterval(() => {}, 1_000);
else
  createInterface({ input: process.stdin }).on('line', line => {
    const { id, method, params } = JSON.parse(line);
    if (method === 'initialize') {
      const capabilities = { tools: {}, resources: { subscribe: true } };
      const serverInfo = { name: 'plain', version: String(process.pid) };
      const answer = () => say({ id, result: { protocolVersion: params.protocolVersion, capabilities, serverInfo } });
      const [, gate] = process.argv.slice(process.argv.indexOf('gate'));
      if (!process.argv.includes('gate')) answer();
      else {
        const timer = setInterval(() => {
          if (!existsSync(gate)) return;
          clearInterval(timer);
          answer();
        }, 20);
      }
    } else if (method === 'tools/call') {
      const { arguments: { text } = {}, _meta } = params;
      if (_meta?.progressToken !== undefined)
        say({ method: 'notifications/progress', params: { progressToken: _meta.progressToken, progress: 1 } });
      // The number as the client wrote it: JSON.parse would round it.
      const [, number] = /"number":(\d+)/.exec(line) ?? [];
      const result = `{"content":[{"type":"text","text":${JSON.stringify(text ?? 'none')}}],"_number":${number ?? 0}}`;
      process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}\n`);
      if (text === 'changed') say({ method: 'notifications/resources/updated', params: { uri: 'file:///a' } });
    } else if (id !== undefined) say({ id, result: {} });
  });
