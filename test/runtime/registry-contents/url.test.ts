/** How a registry server reads source files from URLs. */
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { sendJson } from '../../support/raw-server.ts';
import { findSourceStatus, listed, readContents, server, source, sourceFile, upstream } from './harness.ts';

const from = (origin: string, path = '/servers.json') =>
  source({ type: 'url', url: `${origin}${path}`, timeoutMs: 10_000 });

test('the registry server requests the URL of a source with its query', async () => {
  const peer = await upstream((_, response) => sendJson(response, sourceFile(server('io.example/a'))));
  const { contents } = await readContents([from(peer.origin, '/a/b.json?ref=main')]);
  expect(listed(contents)).toEqual(['io.example/a@1.0.0']);
  expect(peer.requests[0]).toMatchObject({
    method: 'GET',
    path: '/a/b.json?ref=main',
    headers: {
      accept: 'application/json',
      'accept-encoding': 'gzip',
      'user-agent': expect.stringMatching(/^lintel\/\d/),
    },
  });
});

test('the registry server reads the file of a URL with any content type, such as plain text', async () => {
  const peer = await upstream((_, response) =>
    sendJson(response, sourceFile(server('io.example/a')), { 'content-type': 'text/plain; charset=utf-8' }),
  );
  const { contents } = await readContents([from(peer.origin)]);
  expect(listed(contents)).toEqual(['io.example/a@1.0.0']);
});

test('the registry server reads a compressed file of a URL', async () => {
  const peer = await upstream((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(sourceFile(server('io.example/a'))));
  });
  const { contents } = await readContents([from(peer.origin)]);
  expect(listed(contents)).toEqual(['io.example/a@1.0.0']);
});

test.each([
  ['an entity tag', { etag: '"v1"' }, { 'if-none-match': '"v1"' }],
  ['a weak entity tag', { etag: 'W/"v1"' }, { 'if-none-match': 'W/"v1"' }],
  [
    'a date',
    { 'last-modified': 'Fri, 02 Jan 2026 03:04:05 GMT' },
    { 'if-modified-since': 'Fri, 02 Jan 2026 03:04:05 GMT' },
  ],
])(
  'the registry server does not download an unchanged file of a URL again if the upstream sends %s',
  async (_name, validators, conditions) => {
    let state = { text: sourceFile(server('io.example/a')), validators: validators as Record<string, string> };
    const peer = await upstream((request, response) => {
      const isKnown = Object.entries(conditions).every(([name, value]) => request.headers[name] === value);
      if (isKnown && state.validators === validators) response.writeHead(304, state.validators).end();
      else sendJson(response, state.text, state.validators);
    });
    const { contents } = await readContents([from(peer.origin)]);
    const before = contents.snapshots;
    await contents.refresh();
    expect(peer.requests[0]?.headers).not.toMatchObject(conditions);
    expect(peer.requests[1]?.headers).toMatchObject(conditions);
    expect(contents.snapshots).toBe(before);
    expect(findSourceStatus(contents)).toMatchObject({ phase: 'complete', attempts: 0 });
    state = { text: sourceFile(server('io.example/b')), validators: {} };
    await contents.refresh();
    expect(listed(contents)).toEqual(['io.example/b@1.0.0']);
    // Validators of removed content are not sent.
    await contents.refresh();
    expect(peer.requests[3]?.headers).not.toMatchObject(conditions);
  },
);

test('after an invalid answer, the registry server sends the entity tag of the last valid file, not that of the invalid answer', async () => {
  const answers = [
    { text: sourceFile(server('io.example/a')), etag: '"good"' },
    { text: '<html>', etag: '"bad"' },
  ];
  const peer = await upstream((_, response) => {
    const { text = '', etag = '' } = answers.shift() ?? {};
    sendJson(response, text, { etag });
  });
  const { contents } = await readContents([from(peer.origin)]);
  await contents.refresh();
  await contents.refresh();
  expect(peer.requests[2]?.headers['if-none-match']).toBe('"good"');
});

test('the registry server follows a redirect within the origin of a URL, with the entity tag', async () => {
  const peer = await upstream((request, response) => {
    if (request.path !== '/new') response.writeHead(302, { location: '/new' }).end();
    else sendJson(response, sourceFile(server('io.example/a')), { etag: '"v1"' });
  });
  const { contents } = await readContents([from(peer.origin)]);
  expect(listed(contents)).toEqual(['io.example/a@1.0.0']);
});
