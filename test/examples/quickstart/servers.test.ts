import { cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type CallToolResult, ResourceListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from './running-server.ts';

const DATA = path.resolve(import.meta.dirname, '../../../examples/quickstart/servers/data');

async function call(server: RunningServer, name: string, args: Record<string, unknown>): Promise<CallToolResult> {
  return (await server.client.callTool({ name, arguments: args })) as CallToolResult;
}

function textOf({ content: [first] }: CallToolResult): string {
  return first?.type === 'text' ? first.text : '';
}

describe('notes server', () => {
  let server: RunningServer;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'lintel-notes-'));
    await cp(path.join(DATA, 'notes'), folder, { recursive: true });
    await symlink('/etc/hostname', path.join(folder, 'link.md'));
    server = await startServer('notes.mjs', '--folder', folder);
  });

  afterAll(async () => {
    expect(await server.stop()).toBe(0);
    await rm(folder, { recursive: true });
  });

  it('the notes server of the quickstart lists its tools and annotates which of them only read', async () => {
    const { tools } = await server.client.listTools();
    expect(tools.map(tool => [tool.name, tool.annotations?.readOnlyHint])).toEqual([
      ['search', true],
      ['read', true],
      ['add', false],
    ]);
  });

  it('the notes server of the quickstart finds notes that have every word of a query', async () => {
    const { structuredContent } = await call(server, 'search', { query: 'ROLLBACK approval' });
    expect(structuredContent).toEqual({
      matches: [
        {
          name: 'incident-2026-02-checkout-latency',
          title: 'Incident: slow checkout, February 2026',
          snippet: '14:31 The rollback was ready, but waited for an approval from somebody on a train.',
        },
      ],
    });
  });

  it('the notes server of the quickstart reads a note, and names the existing notes for an unknown name', async () => {
    expect(textOf(await call(server, 'read', { name: 'sourdough' }))).toMatch(/^# Sourdough, for a loaf on Saturday\n/);
    const missing = await call(server, 'read', { name: 'sour' });
    expect([missing.isError, textOf(missing)]).toEqual([
      true,
      'no note named "sour"; there are: incident-2026-02-checkout-latency, meeting-2026-03-platform-sync, on-call-runbook, reading-list, release-checklist, sourdough',
    ]);
  });

  it.each([
    ['a parent folder', '../on-call-runbook'],
    ['an absolute path', '/etc/hostname'],
    ['a link out of the folder', 'link'],
  ])('the notes server of the quickstart refuses to read a note by %s', async (_, name) => {
    expect(await call(server, 'read', { name })).toMatchObject({ isError: true });
    await expect(server.client.readResource({ uri: `note:///${encodeURIComponent(name)}` })).rejects.toThrow(
      /no note named/,
    );
  });

  it.each([
    ['a parent folder', '../evil'],
    ['an absolute path', '/tmp/evil'],
    ['a Windows path', 'a\\evil'],
    ['dots alone', '..'],
    ['a hidden file', '.evil'],
    ['a NUL byte', 'evil\0'],
    ['a line break', 'evil\nmore'],
    ['an empty title', ''],
  ])('the notes server of the quickstart refuses to add a note whose title is %s', async (_, title) => {
    const before = await readdir(folder);
    expect(await call(server, 'add', { title, text: 'x' })).toMatchObject({ isError: true });
    expect(await readdir(folder)).toEqual(before);
  });

  it('the notes server of the quickstart lists a note at once after adding it, and never overwrites a note', async () => {
    const { structuredContent } = await call(server, 'add', { title: 'Q3 planning, part 2', text: 'Ship it.' });
    expect(structuredContent).toEqual({ name: 'q3-planning-part-2', uri: 'note:///q3-planning-part-2' });
    expect(await server.client.readResource({ uri: 'note:///q3-planning-part-2' })).toEqual({
      contents: [
        { uri: 'note:///q3-planning-part-2', mimeType: 'text/markdown', text: '# Q3 planning, part 2\n\nShip it.\n' },
      ],
    });

    const again = await call(server, 'add', { title: 'Q3 Planning: part 2', text: 'Other text' });
    expect(again.isError).toBe(true);
    expect(await readFile(path.join(folder, 'q3-planning-part-2.md'), 'utf8')).toContain('Ship it.');
    await rm(path.join(folder, 'q3-planning-part-2.md'));
  });

  it('the notes server of the quickstart notifies its clients of a new note', async () => {
    const { promise: told, resolve } = Promise.withResolvers<void>();
    server.client.setNotificationHandler(ResourceListChangedNotificationSchema, () => resolve());
    await call(server, 'add', { title: 'News', text: 'x' });
    await told;
    await rm(path.join(folder, 'news.md'));
  });

  it('the notes server of the quickstart offers every note as a resource, and has a resource template', async () => {
    const { resources } = await server.client.listResources();
    expect(resources.map(resource => resource.uri)).toEqual([
      'note:///incident-2026-02-checkout-latency',
      'note:///meeting-2026-03-platform-sync',
      'note:///on-call-runbook',
      'note:///reading-list',
      'note:///release-checklist',
      'note:///sourdough',
    ]);
    const { resourceTemplates } = await server.client.listResourceTemplates();
    expect(resourceTemplates.map(template => template.uriTemplate)).toEqual(['note:///{name}']);
  });

  it('the notes server of the quickstart offers a prompt that contains a note and completes its name', async () => {
    const { messages } = await server.client.getPrompt({ name: 'summarize_note', arguments: { name: 'reading-list' } });
    expect(messages[1]?.content).toMatchObject({ type: 'resource', resource: { uri: 'note:///reading-list' } });
    const { completion } = await server.client.complete({
      ref: { type: 'ref/prompt', name: 'summarize_note' },
      argument: { name: 'name', value: 're' },
    });
    expect(completion.values).toEqual(['reading-list', 'release-checklist']);
  });

  it('the notes server of the quickstart answers 404 for an unknown session', async () => {
    const response = await fetch(server.url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'Mcp-Session-Id': 'gone',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    });
    expect(response.status).toBe(404);
  });

  it('the notes server of the quickstart answers 403 to a web page of another site', async () => {
    const response = await fetch(server.url, { method: 'POST', headers: { Origin: 'https://evil.example' } });
    expect(response.status).toBe(403);
  });
});

describe('climate server', () => {
  let server: RunningServer;

  beforeAll(async () => {
    server = await startServer('climate.mjs');
  });

  afterAll(async () => {
    expect(await server.stop()).toBe(0);
  });

  it('the climate server of the quickstart speaks MCP revision 2025-11-25 after initialize', async () => {
    const response = await fetch(server.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
      }),
    });
    expect(await response.text()).toContain('"protocolVersion":"2025-11-25"');
  });

  it('the climate server of the quickstart lists its tools, all of which only read', async () => {
    const { tools } = await server.client.listTools();
    expect(tools.map(tool => [tool.name, tool.annotations?.readOnlyHint, tool.outputSchema?.type])).toEqual([
      ['search', true, 'object'],
      ['monthly', true, 'object'],
      ['compare', true, 'object'],
    ]);
  });

  it('the climate server of the quickstart finds cities by name and by country', async () => {
    const { structuredContent } = await call(server, 'search', { query: 'land' });
    expect(structuredContent).toEqual({ cities: [{ city: 'Reykjavik', country: 'Iceland' }] });
  });

  it('the climate server of the quickstart gives twelve months for each of twelve cities', async () => {
    const cities = JSON.parse(await readFile(path.join(DATA, 'climate.json'), 'utf8')) as { city: string }[];
    expect(cities).toHaveLength(12);
    for (const { city } of cities) {
      const { structuredContent } = await call(server, 'monthly', { city });
      const { months } = structuredContent as { months: { month: string; temperatureC: number; rainfallMm: number }[] };
      expect(months).toHaveLength(12);
      expect(months[0]).toEqual({
        month: 'Jan',
        temperatureC: expect.any(Number) as number,
        rainfallMm: expect.any(Number) as number,
      });
    }
  });

  it('the climate server of the quickstart compares two cities', async () => {
    const { structuredContent } = await call(server, 'compare', { first: 'lisbon', second: 'Oslo' });
    expect(structuredContent).toEqual({
      first: { city: 'Lisbon', meanTemperatureC: 17.6, rainfallMm: 775, warmestMonth: 'Jul', coldestMonth: 'Jan' },
      second: { city: 'Oslo', meanTemperatureC: 6.9, rainfallMm: 839, warmestMonth: 'Jul', coldestMonth: 'Jan' },
      warmerByC: 10.7,
      wetterByMm: -64,
    });
  });

  it('the climate server of the quickstart names the known cities for an unknown city', async () => {
    const result = await call(server, 'monthly', { city: 'Atlantis' });
    expect([result.isError, textOf(result)]).toEqual([
      true,
      'no city named "Atlantis"; there are: Cairo, Cape Town, Chicago, Lima, Lisbon, Mumbai, Nairobi, Oslo, Reykjavik, Singapore, Sydney, Tokyo',
    ]);
  });
});
