/** From a client's `mcp.json` to a gateway with the same tools: import, check, build, serve, with servers of the official SDK. */

import { readdir, readFile } from 'node:fs/promises';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { PEER } from '../../bridge/running-bridge.ts';
import { runLintel } from '../../support/lintel.ts';
import { PROGRAM, start, temporaryFolder } from '../../support/process.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { type Announcement, FREE_PORTS, ready } from '../served.ts';
import { byName, toolsAt, toolsOf, withPrefix } from './tools-at.ts';

const TOKEN = 'S3CRET-tok-0d9b2a71';

/** A proxy in front of a server: it accepts only requests with the header. */
async function guarded(url: string, authorization: string) {
  const server = createServer((incoming, outgoing) => {
    if (incoming.headers.authorization !== authorization) return void outgoing.writeHead(401).end();
    const target = forward(
      new URL(incoming.url ?? '/', url),
      { method: incoming.method, headers: incoming.headers },
      answer => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      },
    );
    incoming.pipe(target).on('error', () => outgoing.destroy());
    outgoing.on('close', () => target.destroy());
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${new URL(url).pathname}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

test("a gateway from `lintel import` shows each tool of the client's servers, and no file has the secrets", async () => {
  const notes = await startSdkServer({
    transport: 'streamable-http',
    tools: [{ name: 'find_notes', description: 'Finds.' }],
  });
  const events = await startSdkServer({ transport: 'sse', tools: [{ name: 'find_events', description: 'Finds.' }] });
  const door = await guarded(notes.url, `Bearer ${TOKEN}`);
  try {
    const config = {
      mcpServers: {
        'Team Notes': { type: 'http', url: door.url, headers: { Authorization: `Bearer ${TOKEN}` } },
        calendar: { command: 'npx', args: ['-y', 'mcp-remote', events.url, '--transport', 'sse-only'] },
      },
    };
    await using folder = await temporaryFolder({ 'mcp.json': JSON.stringify(config) });
    const lintel = (...args: readonly string[]) => runLintel(args, { cwd: folder.path });
    const report = await lintel('import', 'mcp.json');
    expect(report).toMatchObject({ code: 0, stderr: '' });
    expect(await lintel('check', 'specs')).toMatchObject({ code: 0 });
    const variable = 'LINTEL_HEADER_AUTHORIZATION_TEAM_NOTES';
    const example = await readFile(folder.file('.env.example'), 'utf8');
    expect(example).toContain(`\n${variable}=\n`);
    const written = await Promise.all(
      (await readdir(folder.path, { recursive: true, withFileTypes: true }))
        .filter(entry => entry.isFile() && entry.name !== 'mcp.json')
        .map(entry => readFile(`${entry.parentPath}/${entry.name}`, 'utf8')),
    );
    expect(written.length).toBe(4);
    for (const text of [...written, report.stdout]) expect(text).not.toContain(TOKEN);

    await folder.write({ '.env': example.replace(`${variable}=`, `${variable}="Bearer ${TOKEN}"`) });
    const locked = await lintel('lock', 'specs', '--dotenv', '.env');
    expect(locked).toMatchObject({ code: 0 });
    await using gateway = start(PROGRAM.lintel, ['serve', 'specs', '--dotenv', '.env', ...FREE_PORTS], {
      cwd: folder.path,
    });
    const announcement = await gateway.announcement<Announcement>();
    await ready(announcement);

    const seen = [
      ...withPrefix('team-notes', await toolsAt(door.url, 'http', { Authorization: `Bearer ${TOKEN}` })),
      ...withPrefix('calendar', await toolsAt(events.url, 'sse')),
    ];
    // A backend that has not responded within the first seconds is listed later.
    await expect
      .poll(async () => [...(await toolsAt(announcement.url, 'http'))].sort(byName))
      .toEqual(seen.sort(byName));
    expect(seen.length).toBeGreaterThan(2);
  } finally {
    door.close();
    await notes.close();
    await events.close();
  }
});

test('a gateway from `lintel import` shows and calls the tools of imported stdio servers', async () => {
  const peer = `import ${JSON.stringify(pathToFileURL(PEER).href)};\n`;
  const config = {
    mcpServers: {
      First: { command: 'node', args: ['./peer.mjs', '--token', TOKEN] },
      second: { command: 'node', args: ['peer.mjs'], env: { PEER_KEY: TOKEN, LEVEL: '2' } },
      third: { type: 'stdio', command: 'node', args: ['peer.mjs'], cwd: '.' },
    },
  };
  await using folder = await temporaryFolder({ 'mcp.json': JSON.stringify(config), 'peer.mjs': peer });
  const lintel = (...args: readonly string[]) => runLintel(args, { cwd: folder.path });
  const report = await lintel('import', 'mcp.json');
  expect(report).toMatchObject({ code: 0, stderr: '' });
  expect(await lintel('check', 'specs')).toMatchObject({ code: 0 });
  const specs = await readFile(folder.file('specs/imported.yaml'), 'utf8');
  const example = await readFile(folder.file('.env.example'), 'utf8');
  for (const text of [specs, example, report.stdout]) expect(text).not.toContain(TOKEN);
  await folder.write({ '.env': example.replace(/^(LINTEL_SECRET_ENV_\w+)=$/gm, `$1=${TOKEN}`) });

  const tools = await toolsOf(process.execPath, [PEER]);
  const seen = ['first', 'second', 'third'].flatMap(server => withPrefix(server, tools));

  await using gateway = start(PROGRAM.lintel, ['serve', 'specs', '--dotenv', '.env', ...FREE_PORTS], {
    cwd: folder.path,
  });
  const announcement = await gateway.announcement<Announcement>();
  await ready(announcement);
  await expect.poll(async () => [...(await toolsAt(announcement.url, 'http'))].sort(byName)).toEqual(seen.sort(byName));
  const called = (tool: string) => lintel('call', tool, '--url', announcement.url);
  expect(JSON.parse((await called('first_arguments')).stdout)).toEqual(['--token', TOKEN]);
  expect(JSON.parse((await called('second_environment')).stdout)).toMatchObject({ PEER_KEY: TOKEN, LEVEL: '2' });
});
