/** Nothing can be published here, and clients of the official API get a status that says so. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bearer, startDoor, startTrustedProvider, type TrustedProvider, twoRegistries } from './served-door.ts';

let corp: TrustedProvider;
beforeAll(async () => {
  corp = await startTrustedProvider();
});
afterAll(() => corp.close());

test.each(['/registry/main/v0.1/publish', '/registry/main/v0/publish', '/registry/open/v0.1/publish'])(
  'the registry server answers a POST to %s with 501, or with 401 if it has no token',
  async path => {
    const { send } = await startDoor(twoRegistries(corp.yaml()));
    expect((await send(path, {}, 'POST')).status).toBe(401);
    const { status, text } = await send(path, bearer(await corp.token()), 'POST');
    expect(status).toBe(501);
    expect(JSON.parse(text)).toEqual({ error: expect.stringContaining('publishing is not supported') });
  },
);

test.each([
  ['GET', '/registry/main/v0.1/publish'],
  ['POST', '/registry/other/v0.1/publish'],
  ['POST', '/registry/main/v0.1/publish/'],
  ['POST', '/registry/main/v0.2/publish'],
  ['POST', '/elsewhere/main/v0.1/publish'],
])('the registry server answers %s %s with 404', async (method, path) => {
  const { send } = await startDoor(twoRegistries(corp.yaml()));
  expect((await send(path, bearer(await corp.token()), method)).status).toBe(404);
});
