import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../support/any-character.ts';
import { runs } from '../../support/runs.ts';
import { post, startGateway } from '../client-edge/fake-gateway.ts';
import { fakeStatelessCore } from '../client-edge/fake-stateless.ts';
import { ask, findHeaders, formatRequest, META } from './requests.ts';

fc.configureGlobal({ seed: 20261122 });

const NAMES = [
  'io.modelcontextprotocol/protocolVersion',
  'io.modelcontextprotocol/clientCapabilities',
  'io.modelcontextprotocol/clientInfo',
  'io.modelcontextprotocol/logLevel',
  'io.modelcontextprotocol/subscriptionId',
  '__proto__',
  'constructor',
];

/** `_meta` as JSON text: valid members and invalid ones, some duplicated, some with escapes or in another case. */
const name = fc.oneof(
  fc.constantFrom(...NAMES).map(text => JSON.stringify(text)),
  fc.constantFrom(...NAMES).map(text => JSON.stringify(text.toUpperCase())),
  fc.constantFrom(...NAMES).map(text => `"\\u0069${text.slice(1)}"`),
  fc.string({ unit: anyCharacter }).map(text => JSON.stringify(text)),
);
const value = fc.oneof(
  fc.constantFrom('"2026-07-28"', '{}', '{"sampling":{}}', '"debug"', 'null'),
  fc.jsonValue().map(json => JSON.stringify(json)),
);
const wild = fc.oneof(
  fc.array(fc.tuple(name, value)).map(members => `{${members.map(member => member.join(':')).join(',')}}`),
  fc.jsonValue().map(json => JSON.stringify(json)),
  fc.string({ unit: anyCharacter }),
);

/** A valid text into which an error was inserted. */
const bent = fc.tuple(fc.nat(), fc.nat(3), fc.string({ maxLength: 3 })).map(([at, cut, insert]) => {
  const text = JSON.stringify(META);
  const start = at % text.length;
  return text.slice(0, start) + insert + text.slice(start + cut);
});

test('the gateway accepts or refuses a request with any _meta, and no _meta affects another request', async () => {
  const stateless = fakeStatelessCore({
    behaviours: {
      'tools/call': (answer, _, caller) => {
        // A member that is parsed on demand must be valid by then.
        answer.result(JSON.stringify({ given: [caller.capabilities, caller.clientInfo, caller.logLevel] }));
      },
    },
  });
  const { url } = await startGateway({}, { stateless });
  const request = { method: 'tools/call', params: { name: 'echo' } };
  const template = formatRequest({ ...request, meta: 'META' });
  const seen = new Set<number>();
  await fc.assert(
    fc.asyncProperty(fc.oneof(wild, bent), async meta => {
      const body = template.replace('"META"', () => meta);
      const [reply, other] = await Promise.all([
        post(url, body, findHeaders(request)),
        ask(url, { ...request, id: 'other' }),
      ]);
      expect(other).toMatchObject({ status: 200 });
      expect(JSON.parse(other.text)).toMatchObject({ id: 'other', result: { given: [{}, { name: 'test' }, null] } });
      seen.add(reply.status);
      const { id, result, error } = JSON.parse(reply.text);
      if (reply.status === 200) {
        expect(id).toBe(1);
        expect(typeof result.given[0]).toBe('object');
      } else {
        expect(reply.status).toBe(400);
        expect([-32700, -32600, -32602, -32020]).toContain(error.code);
      }
    }),
    { numRuns: runs(400) },
  );
  expect([...seen].sort()).toEqual([200, 400]);
});

test('the gateway accepts or refuses a stateless request with any headers', async () => {
  const { url } = await startGateway();
  const text = fc.oneof(
    fc.constantFrom('2026-07-28', 'tools/list', '=?base64?eA==?=', '2025-11-25', ''),
    fc.stringMatching(/^[\t -~\u0080-\u00ff]*$/),
  );
  const header = fc.option(text, { nil: undefined });
  await fc.assert(
    fc.asyncProperty(header, header, header, async (revision, method, toolName) => {
      const headers = { 'MCP-Protocol-Version': revision, 'Mcp-Method': method, 'Mcp-Name': toolName };
      const reply = await ask(url, { method: 'tools/list', headers });
      const { error } = JSON.parse(reply.text);
      if (reply.status === 200) expect([revision?.trim(), method?.trim()]).toEqual(['2026-07-28', 'tools/list']);
      else expect({ status: reply.status, code: error.code }).toEqual({ status: 400, code: -32020 });
    }),
    { numRuns: runs(300) },
  );
});
