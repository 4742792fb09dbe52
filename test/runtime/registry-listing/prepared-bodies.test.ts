import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { BodyCache } from '../../../runtime/registry/listing/body-cache.ts';
import { PreparedResponse } from '../../../runtime/registry/listing/index.ts';
import { MAX_VIEWS, Views } from '../../../runtime/registry/listing/views.ts';
import { createTestSnapshot } from '../../support/registry-snapshot.ts';
import { entry, Listing, refusal } from './harness.ts';

const many = Array.from({ length: 100 }, (_, i) => entry(`a/s${String(i).padStart(3, '0')}`, '1.0.0'));

describe('a prepared answer', () => {
  const decoders = { br: brotliDecompressSync, gzip: gunzipSync };

  test.each(['br', 'gzip'] as const)(
    'the registry server compresses an answer with %s once, and then uses the compressed form again',
    async coding => {
      const body = new PreparedResponse(Buffer.from('{"a":1},'.repeat(1_000)));
      const first = body.encoded(coding);
      expect(first).toBeInstanceOf(Promise);
      expect(body.encoded(coding)).toBe(first);
      const coded = await first;
      expect(body.encoded(coding)).toBe(coded);
      expect(decoders[coding](coded as Buffer).equals(body.bytes)).toBe(true);
      expect(body.size).toBe(body.bytes.length + (coded as Buffer).length);
    },
  );

  test('the registry server does not compress an answer of a few bytes', () => {
    const body = new PreparedResponse(Buffer.alloc(1_023));
    expect(body.encoded('br')).toBeUndefined();
    expect(body.encoded('gzip')).toBeUndefined();
  });

  test('an answer of the registry server has a strong entity tag that depends only on its bytes', () => {
    const tag = (text: string) => new PreparedResponse(Buffer.from(text)).etag;
    expect(tag('a')).toMatch(/^"[A-Za-z0-9_-]{27}"$/);
    expect(tag('a')).toBe(`"${createHash('sha256').update('a').digest('base64url').slice(0, 27)}"`);
    expect(tag('a')).not.toBe(tag('b'));
  });
});

describe('the cache of answers', () => {
  const body = (bytes: number) => new PreparedResponse(Buffer.alloc(bytes, 'x'));

  test('the cache of answers stays below its limit, and drops the answer that was requested longest ago', () => {
    const cache = new BodyCache(8_000);
    for (let i = 0; i < 8; i++) cache.set(`k${i}`, body(1_000));
    cache.get('k0');
    cache.set('k8', body(1_000));
    expect(cache.get('k1')).toBeUndefined();
    expect(cache.get('k0')).toBeDefined();
    expect(cache.bytes).toBe(8_000);
  });

  test('the cache of answers counts the bytes of a compressed form that is added later, but not of a dropped answer', async () => {
    const cache = new BodyCache(16_384);
    const [kept, gone] = [body(2_048), body(2_048)];
    cache.set('gone', gone);
    cache.set('kept', kept);
    const coded = await kept.encoded('gzip');
    expect(cache.bytes).toBe(4_096 + (coded?.length ?? 0));
    for (let i = 0; i < 7; i++) cache.set(`k${i}`, body(2_000));
    expect(cache.get('gone')).toBeUndefined();
    const before = cache.bytes;
    await gone.encoded('gzip');
    expect(cache.bytes).toBe(before);
    expect(before).toBeLessThanOrEqual(16_384);
  });

  test('with waitsForSecond, the cache of answers keeps an answer only from its second request on', () => {
    const cache = new BodyCache(8_000, { waitsForSecond: true });
    cache.set('a', body(100));
    expect(cache.get('a')).toBeUndefined();
    cache.set('a', body(100));
    expect(cache.get('a')).toBeDefined();
    cache.set('b', body(100));
    for (let i = 0; i < 1_024; i++) cache.set(`k${i}`, body(100));
    cache.set('b', body(100));
    expect(cache.get('b')).toBeUndefined();
    expect(cache.bytes).toBe(100);
  });

  test('the cache of answers keeps no answer that would displace all others', () => {
    const cache = new BodyCache(8_000);
    cache.set('small', body(1_000));
    cache.set('large', body(1_001));
    expect(cache.get('large')).toBeUndefined();
    expect(cache.get('small')).toBeDefined();
  });
});

describe('answers of the API', () => {
  test('the registry server prepares an answer once for all callers who see the same sources', () => {
    const { api, request } = new Listing({ one: many });
    const page = api.servers(request, {});
    expect(api.servers({ ...request, sources: ['one'] }, { limit: '30', cursor: '' })).toBe(page);
    expect(api.servers(request, { limit: '31' })).not.toBe(page);
    expect(api.servers(request, { version: 'latest' })).toBe(api.servers(request, { version: 'latest' }));
  });

  test('the registry server caches the answer to a rare request when the request comes again', () => {
    const { api, request } = new Listing({ one: many });
    for (const ask of [
      (i: number) => api.servers(request, { search: i % 2 === 0 ? 's' : 'S' }),
      () => api.versions(request, 'a/s001'),
      (i: number) => api.version(request, 'a/s001', i % 2 === 0 ? 'latest' : '1.0.0'),
    ]) {
      const [first, second, third] = [0, 1, 2].map(ask);
      expect(second).not.toBe(first);
      expect(second?.etag).toBe(first?.etag);
      expect(third).toBe(second);
    }
  });

  test('the registry server prepares an answer again when a source has changed, with the same entity tag if the answer is the same', () => {
    const listing = new Listing({ one: many, two: [entry('z/z', '1.0.0')] });
    const { api, request } = listing;
    const before = api.servers(request, {});
    listing.replace('two', [entry('z/z', '2.0.0')]);
    expect(api.servers(request, {}).etag).toBe(before.etag);
    listing.replace('one', many.slice(1));
    expect(api.servers(request, {}).etag).not.toBe(before.etag);
    expect(refusal(() => api.version(request, 'a/s000', 'latest')).status).toBe(404);
  });

  test('callers of the registry server who see different sources get different answers to the same request', () => {
    const { api } = new Listing({ one: [entry('a/a', '1.0.0')], two: [entry('a/a', '2.0.0')] });
    const seen = (...sources: string[]) => api.version({ registry: 'all', sources }, 'a/a', 'latest').bytes.toString();
    expect(seen('one', 'two')).toContain('"version":"1.0.0"');
    expect(seen('two')).toContain('"version":"2.0.0"');
    expect(seen('two', 'one')).toContain('"version":"2.0.0"');
    expect(seen('one')).toContain('"version":"1.0.0"');
  });
});

describe('views', () => {
  test('callers of the same sources share one merged view while the snapshots are unchanged, and the number of views is limited', () => {
    const names = Array.from({ length: MAX_VIEWS + 1 }, (_, i) => `source-${i}`);
    const current = new Map(names.map(name => [name, createTestSnapshot(name, many.slice(0, 2))]));
    const views = new Views(() => current);
    const made = names.slice(0, MAX_VIEWS).map(name => views.get([name]));
    expect(names.slice(0, MAX_VIEWS).map(name => views.get([name]))).toEqual(made);
    expect(views.get(['source-0'])).toBe(made[0]);
    views.get([names.at(-1) ?? '']);
    expect(views.get(['source-0'])).toBe(made[0]);
    expect(views.get(['source-1'])).not.toBe(made[1]);
  });

  test('the merged views of sources release entries that are no longer listed from memory', async () => {
    const current = new Map([
      ['one', createTestSnapshot('one', many)],
      ['two', createTestSnapshot('two', many)],
    ]);
    const views = new Views(() => current);
    const kept = views.get(['two']);
    const old = new WeakRef(views.get(['one']));
    current.set('one', createTestSnapshot('one', many.slice(1)));
    const { setFlagsFromString } = await import('node:v8');
    const { runInNewContext } = await import('node:vm');
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    views.get(['two', 'one']);
    await new Promise(done => setImmediate(done));
    collect();
    expect(old.deref()).toBeUndefined();
    expect(views.get(['two'])).toBe(kept);
  });
});
