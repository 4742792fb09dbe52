/** Paths that some server takes for another path. None of them leads to more than the plain path. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isBelowPublic } from '../../../runtime/registry/http/public-prefix.ts';
import { runs } from '../../support/runs.ts';
import { startDoor, startTrustedProvider, type TrustedProvider, twoRegistries } from './served-door.ts';

let corp: TrustedProvider;
let token: string;
beforeAll(async () => {
  corp = await startTrustedProvider();
  token = await corp.token();
});
afterAll(() => corp.close());

const PRIVATE = '/registry/main/v0.1/servers';
const PUBLIC = '/registry/open/v0.1/servers';

/** A path and what it might be taken for. */
const TRICKS: readonly (readonly [name: string, target: string])[] = [
  ['two slashes at the beginning', `/${PRIVATE}`],
  ['two slashes within', '/registry//main/v0.1/servers'],
  ['two slashes before a public path', `/${PUBLIC}`],
  ['two slashes within a public path', '/registry/open//v0.1/servers'],
  ['a dot segment', '/registry/./main/v0.1/servers'],
  ['a dot segment in a public path', '/registry/open/./v0.1/servers'],
  ['out of a public path', '/registry/open/../main/v0.1/servers'],
  ['out of the description', '/openapi.json/../registry/main/v0.1/servers'],
  ['out of /.well-known', '/.well-known/../registry/main/v0.1/servers'],
  ['out of /.well-known, encoded', '/.well-known/%2e%2e/registry/main/v0.1/servers'],
  ['out of a public path, encoded', '/registry/open/%2e%2e/main/v0.1/servers'],
  ['out of a public path, in capitals', '/registry/open/%2E%2E/main/v0.1/servers'],
  ['out of a public path, half encoded', '/registry/open/.%2e/main/v0.1/servers'],
  ['out of a public path, encoded twice', '/registry/open/%252e%252e/main/v0.1/servers'],
  ['out of a public path by encoded slashes', '/registry/open/..%2fmain/v0.1/servers'],
  ['into a public path', '/registry/main/../open/v0.1/servers'],
  ['a name that leads into the description', '/registry/..%2F..%2Fopenapi.json/v0.1/servers'],
  ['a name that leads into the description and back', '/registry/main%2F..%2F..%2Fopenapi.json/v0.1/servers'],
  ['with an encoded slash', '/registry%2fmain/v0.1/servers'],
  ['with an encoded slash within a public path', '/registry/open%2fv0.1/servers'],
  ['with an encoded slash at the end', `${PRIVATE}%2f`],
  ['a backslash', '/registry\\main\\v0.1\\servers'],
  ['with an encoded backslash', '/registry/open/..%5cmain/v0.1/servers'],
  ['a parameter of a segment', `${PRIVATE};x=y`],
  ['a parameter in front', '/registry/main;x=y/v0.1/servers'],
  ['a parameter in a public path', '/registry/open;x=y/v0.1/servers'],
  ['a parameter that Java servers remove', '/registry/open/..;/main/v0.1/servers'],
  ['a dot at the end', `${PRIVATE}.`],
  ['a dot at the end of a registry', '/registry/open./v0.1/servers'],
  ['a slash at the end', `${PRIVATE}/`],
  ['a slash at the end of a public path', `${PUBLIC}/`],
  ['without a slash at the beginning', 'registry/main/v0.1/servers'],
  ['in another case', '/Registry/main/v0.1/servers'],
  ['with the registry in another case', '/registry/OPEN/v0.1/servers'],
  ['with the version in another case', '/registry/open/V0.1/servers'],
  ['with an encoded letter', '/registry/%6dain/v0.1/servers'],
  ['with an encoded letter in a public path', '/registry/%6fpen/v0.1/servers'],
  ['with an encoded dot', '/registry/main/v0%2e1/servers'],
  ['an overlong dot', '/registry/open/%c0%ae%c0%ae/main/v0.1/servers'],
  ['an overlong slash', '/registry%c0%afmain/v0.1/servers'],
  ['an overlong slash as bytes', '/registry\xc0\xafmain/v0.1/servers'],
  ['an overlong slash of three bytes', '/registry/open/..%e0%80%afmain/v0.1/servers'],
  ['a full-width slash', '/registry%ef%bc%8fmain/v0.1/servers'],
  ['with NUL at the end', `${PRIVATE}%00`],
  ['with NUL after a public registry', '/registry/open%00/v0.1/servers'],
  ['with NUL and another path after it', '/registry/main/v0.1/servers%00/openapi.json'],
  ['a line break', `${PRIVATE}%0d%0a`],
  ['a space', `${PRIVATE}%20`],
  ['with a tab at the beginning', '/%09registry/main/v0.1/servers'],
  ['a byte order mark', '/%ef%bb%bfregistry/main/v0.1/servers'],
  ['a soft hyphen', '/registry/ma%c2%adin/v0.1/servers'],
  ['with a public path at the end', `${PRIVATE}/openapi.json`],
  ['with the extension of a public file', '/registry/main/v0.1/servers.json'],
  ['a fragment', `/openapi.json#/../../registry/main/v0.1/servers`],
  ['with a placeholder in place of a name', '/registry/main/v0.1/servers/{serverName}'],
  ['with the registry __proto__', '/registry/__proto__/v0.1/servers'],
  ['with the registry constructor', '/registry/constructor/v0.1/servers'],
  ['the root', '/'],
  ['a star', '*'],
  ['with a host alone', 'http://registry.example'],
  ['with a host and two slashes', `http://registry.example/${PRIVATE}`],
  ['another scheme', `ftp://registry.example${PRIVATE}`],
  ['an authority', '//registry.example/registry/main/v0.1/servers'],
  ['a path for writing', '/v1/sources/ours'],
  ['a path for writing after a public path', '/registry/open/../../v1/sources'],
];

const request = (target: string, credentials: string, method = 'GET'): string =>
  `${method} ${target} HTTP/1.1\r\nHost: localhost\r\n${credentials}Connection: close\r\n\r\n`;

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);

describe('over a raw socket', () => {
  test.each(TRICKS)('no manipulated path reaches a private registry: %s (%s)', async (_name, target) => {
    const { raw, calls } = await startDoor(twoRegistries(corp.yaml()));
    for (const method of ['GET', 'HEAD', 'POST']) {
      const without = statusOf(await raw(request(target, '', method)));
      // 400: invalid HTTP. 404: below a public path, and unknown.
      expect([400, 401, 404]).toContain(without);
      const status = statusOf(await raw(request(target, `Authorization: Bearer ${token}\r\n`, method)));
      expect(status).toBe(without === 400 ? 400 : 404);
    }
    expect(calls).toEqual([]);
  });

  test.each(TRICKS.filter(([name]) => name.startsWith('out of ')))(
    'a path that a proxy may resolve to another path needs a token, %s: %s',
    async (_name, target) => {
      const { raw } = await startDoor(twoRegistries(corp.yaml()));
      // Double encoding is not resolved, and an overlong dot is not a dot.
      const isText = target.includes('%25') || target.includes('%c0');
      expect(statusOf(await raw(request(target, '')))).toBe(isText ? 404 : 401);
    },
  );

  test.each([
    ['nothing', PRIVATE],
    ['a host', `http://registry.example${PRIVATE}`],
    ['a host in capitals', `HTTP://REGISTRY.EXAMPLE:80${PRIVATE}?limit=1`],
  ])(
    'the registry server uses only the path of a request target that has %s before the path',
    async (_name, target) => {
      const { raw, calls } = await startDoor(twoRegistries(corp.yaml()));
      expect(statusOf(await raw(request(target, '')))).toBe(401);
      expect(statusOf(await raw(request(target, `Authorization: Bearer ${token}\r\n`)))).toBe(200);
      expect(statusOf(await raw(request(target.replace('main', 'open'), '')))).toBe(200);
      expect(calls.map(({ registry }) => registry)).toEqual(['main', 'open']);
    },
  );

  test('the registry server checks the host in the request target instead of the Host header', async () => {
    const { raw, calls } = await startDoor(twoRegistries(corp.yaml()));
    const target = `https://user@evil.example${PRIVATE}`;
    expect(statusOf(await raw(request(target, `Authorization: Bearer ${token}\r\n`)))).toBe(403);
    expect(calls).toEqual([]);
  });

  test('the time to check a path of many slashes or dots is limited by its length', async () => {
    const { raw } = await startDoor(twoRegistries(corp.yaml()));
    for (const unit of ['/', '/.', '/%2e%2e', `${PUBLIC}/`, ';/']) {
      const target = `/${unit.repeat(900_000 / unit.length)}`;
      expect(statusOf(await raw(request(target, '')))).toBe(401);
    }
    const long = `${PUBLIC}/${'a'.repeat(9_000)}/versions`;
    expect(statusOf(await raw(request(long, '')))).toBe(414);
  });

  test.each(['\0', '\x7f', '\xc3\xa9', '\t', ' x'])(
    'a request with the byte %j in its request target gets 400',
    async byte => {
      const { raw } = await startDoor(twoRegistries(corp.yaml()));
      expect(statusOf(await raw(request(`${PUBLIC}/a${byte}/versions`, '')))).toBe(400);
    },
  );
});

describe('a name of a server', () => {
  test.each([
    ['..', '..'],
    ['%2e%2e', '..'],
    ['..%2F..%2F..%2Fmain%2Fv0.1%2Fservers', '../../../main/v0.1/servers'],
    ['%252e%252e%252f', '%2e%2e%2f'],
    ['a%5Cb', 'a\\b'],
    ['a;x=y', 'a;x=y'],
    ['A%2FB', 'A/B'],
  ])(
    'the registry server decodes the server name %s in a path once, and does not resolve it as a path',
    async (raw, name) => {
      const { send, calls } = await startDoor(twoRegistries(corp.yaml()));
      expect((await send(`${PUBLIC}/${raw}/versions`)).status).toBe(200);
      expect(calls).toMatchObject([{ registry: 'open', sources: ['theirs'], name }]);
    },
  );

  test.each([
    ['no characters', '', 'serverName is empty'],
    ['a space', 'a%20b', 'serverName has white space or control characters'],
    ['a tab', 'a%09', 'serverName has white space or control characters'],
    ['NUL', 'a%00', 'serverName has white space or control characters'],
    ['DEL', 'a%7F', 'serverName has white space or control characters'],
    ['a C1 control character', 'a%C2%85', 'serverName has white space or control characters'],
    ['an unfinished escape', 'a%2', 'serverName is not percent-encoded UTF-8'],
    ['an escape without hexadecimal digits', 'a%zz', 'serverName is not percent-encoded UTF-8'],
    ['an overlong slash', 'a%c0%afb', 'serverName is not percent-encoded UTF-8'],
    ['half a surrogate', 'a%ed%a0%80', 'serverName is not percent-encoded UTF-8'],
    ['Latin-1', 'a%e9', 'serverName is not percent-encoded UTF-8'],
  ])('a request for a server name with %s gets 400', async (_name, raw, error) => {
    const door = await startDoor(twoRegistries(corp.yaml()));
    const answer = await door.raw(request(`${PUBLIC}/${raw}/versions`, ''));
    expect(statusOf(answer)).toBe(400);
    expect(answer).toContain(JSON.stringify({ error }));
    expect(statusOf(await door.raw(request(`${PRIVATE}/${raw}/versions`, '')))).toBe(401);
    expect(door.calls).toEqual([]);
  });

  test.each([
    ['%00', 400],
    ['a%09b', 400],
    ['%', 400],
    ['', 404],
    ['1.0.0/', 404],
  ])('a request for the version "%s" of a server gets %i and reaches no registry', async (version, status) => {
    const { send, calls } = await startDoor(twoRegistries(corp.yaml()));
    expect((await send(`${PUBLIC}/a/versions/${version}`)).status).toBe(status);
    expect(calls).toEqual([]);
  });

  test.each([
    ['1.0%20beta', '1.0 beta'],
    ['2.0.0%2Bb%2Fc', '2.0.0+b/c'],
    ['%252e', '%2e'],
  ])(
    'the registry server decodes the version "%s" in a path once, and accepts any text as a version',
    async (raw, version) => {
      const { send, calls } = await startDoor(twoRegistries(corp.yaml()));
      expect((await send(`${PUBLIC}/a/versions/${raw}`)).status).toBe(200);
      expect(calls).toMatchObject([{ name: 'a', version }]);
    },
  );
});

describe('any path', () => {
  const piece = fc.oneof(
    fc.constantFrom('registry', 'open', 'main', 'v0.1', 'servers', 'versions', '.well-known', 'openapi.json'),
    fc.constantFrom('/', '/', '/', '//', '.', '..', '%2e', '%2F', '%5c', ';', '\\', '%00', '%', 'http://h', '?', 'x'),
  );

  test('only the canonical path reaches a private registry, and only with a token', async () => {
    const { raw, calls } = await startDoor(twoRegistries(corp.yaml()));
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async pieces => {
        const target = `/${pieces.join('')}`;
        await raw(request(target, ''));
        expect(calls.filter(({ registry }) => registry === 'main')).toEqual([]);
        calls.length = 0;
        const status = statusOf(await raw(request(target, `Authorization: Bearer ${token}\r\n`)));
        if (status === 200 && calls.length > 0) {
          expect(target).toMatch(
            /^\/registry\/(main|open)\/v0\.1\/servers(\?|$|\/[^/?]+\/versions(\?|$|\/[^/?]+(\?|$)))/,
          );
        }
        calls.length = 0;
      }),
      { numRuns: runs(300) },
    );
  });

  test('a path that a server may resolve to a place outside of a public path does not count as below the public path', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), pieces => {
        const path = `/registry/open/${pieces.join('')}`.split('?')[0] as string;
        const lastReading = new URL(decodeSafely(path).replaceAll('\\', '/'), 'http://h').pathname;
        if (!lastReading.startsWith('/registry/open')) expect(isBelowPublic(path, ['/registry/open'])).toBe(false);
      }),
      { numRuns: runs(2_000) },
    );
  });
});

/** Like a server that decodes before it resolves. */
function decodeSafely(path: string): string {
  return path.replace(/%(?:2e|2f|5c)/gi, one => decodeURIComponent(one));
}
