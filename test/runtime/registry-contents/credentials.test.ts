/** Credentials of HTTP sources: read from files, sent only to the source's origin, and never shown. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HttpCredentialsPlan, RegistryOrigin } from '#schemas';
import { sendJson } from '../../support/raw-server.ts';
import {
  findSourceStatus,
  listed,
  page,
  readContents,
  server,
  source,
  sourceFile,
  upstream,
  writeFolder,
} from './harness.ts';

const SECRET = 'hunter2-first';
const NEXT = 'hunter2-second';

type Kind = 'api' | 'url';

const fromOf = (kind: Kind, origin: string, credentials: HttpCredentialsPlan): RegistryOrigin =>
  kind === 'api'
    ? { type: 'api', endpoint: origin, timeoutMs: 10_000, credentials }
    : { type: 'url', url: `${origin}/servers.json`, timeoutMs: 10_000, credentials };
const bodyOf = (kind: Kind, name: string) => (kind === 'api' ? page([server(name)]) : sourceFile(server(name)));

async function secretFile(text = `${SECRET}\n`) {
  const path = join(await writeFolder(), 'secret');
  await writeFile(path, text);
  return path;
}

const headerOf = (type: 'basic' | 'bearer', secret: string) =>
  type === 'bearer' ? `Bearer ${secret}` : `Basic ${Buffer.from(`robot:${secret}`).toString('base64')}`;
const planOf = (type: 'basic' | 'bearer', path: string): HttpCredentialsPlan =>
  type === 'bearer' ? { type, tokenFile: path } : { type, username: 'robot', passwordFile: path };

const WAYS: readonly (readonly [Kind, 'basic' | 'bearer'])[] = [
  ['api', 'basic'],
  ['api', 'bearer'],
  ['url', 'basic'],
  ['url', 'bearer'],
];

describe.each(WAYS)('credentials of a source of type %s, %s', (kind, type) => {
  test('the registry server sends the credentials of a source with each request, and reads a changed file again', async () => {
    const path = await secretFile();
    let wanted = headerOf(type, SECRET);
    const peer = await upstream((request, response) => {
      if (request.headers.authorization !== wanted) sendJson(response, '{}', {}, 401);
      else sendJson(response, bodyOf(kind, wanted === headerOf(type, SECRET) ? 'io.example/a' : 'io.example/b'));
    });
    const { contents, log } = await readContents([source(fromOf(kind, peer.origin, planOf(type, path)))]);
    expect(listed(contents)).toEqual(['io.example/a@1.0.0']);
    wanted = headerOf(type, NEXT);
    await contents.refresh();
    expect(findSourceStatus(contents)).toMatchObject({ phase: 'failed', servers: 1 });
    expect(findSourceStatus(contents).message).toContain(
      'it answered 401; it does not accept the credentials of the source',
    );
    await writeFile(path, NEXT);
    await contents.refresh();
    expect(listed(contents)).toEqual(['io.example/b@1.0.0']);
    const told = JSON.stringify([log, contents.status()]);
    for (const secret of [SECRET, NEXT, Buffer.from(`robot:${SECRET}`).toString('base64')])
      expect(told).not.toContain(secret);
  });

  test('the registry server sends the credentials of a source with a redirect within the origin, and not to another origin', async () => {
    const path = await secretFile();
    const other = await upstream((_, response) => sendJson(response, bodyOf(kind, 'io.example/evil')));
    let location = '/moved';
    const peer = await upstream((request, response) => {
      if (request.path === '/moved') sendJson(response, bodyOf(kind, 'io.example/a'));
      else response.writeHead(302, { location }).end();
    });
    const { contents } = await readContents([source(fromOf(kind, peer.origin, planOf(type, path)))]);
    expect(listed(contents)).toEqual(['io.example/a@1.0.0']);
    expect(peer.requests.map(({ headers }) => headers.authorization)).toEqual([
      headerOf(type, SECRET),
      headerOf(type, SECRET),
    ]);
    location = `${other.origin}/servers.json`;
    await contents.refresh();
    expect(findSourceStatus(contents).message).toContain('redirects to another origin are not followed');
    expect(other.requests).toEqual([]);
    expect(listed(contents)).toEqual(['io.example/a@1.0.0']);
  });

  test('reading a source fails without a request when its credentials are missing or unusable', async () => {
    const path = await secretFile();
    const peer = await upstream((_, response) => sendJson(response, bodyOf(kind, 'io.example/a')));
    await rm(path);
    const { contents, log } = await readContents([source(fromOf(kind, peer.origin, planOf(type, path)))]);
    expect(findSourceStatus(contents).message).toContain(`file ${path} cannot be read (ENOENT)`);
    expect(peer.requests).toEqual([]);
    if (type === 'basic') return;
    await writeFile(path, `${SECRET}\r\nX-Other: 1`);
    await contents.refresh();
    expect(findSourceStatus(contents).message).toContain('its token has characters that no header can have');
    expect(peer.requests).toEqual([]);
    expect(JSON.stringify([log, contents.status()])).not.toContain(SECRET);
  });
});
