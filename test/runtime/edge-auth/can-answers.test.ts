/** `lintel can` predicts what a gateway does with a call: for random arguments with odd names and values. */
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { decideAccess } from '../../../compiler/analysis/access/index.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { backendPlan } from '../../support/gateway.ts';
import { entries, formatBackendKey, models, object } from '../../support/gateway-rule.ts';
import { gatewayWithPolicies } from '../../support/policies.ts';
import { runs } from '../../support/runs.ts';
import { startStatelessServer } from '../../support/stateless-server.ts';
import { post } from '../client-edge/fake-gateway.ts';
import { findHeaders, formatRequest } from '../stateless-edge/requests.ts';
import { startGuarded } from './guarded-gateway.ts';
import { bearer } from './tokens.ts';

const ANN = { sub: 'ann', groups: ['staff'] };

/** `plain` declares nothing; `upper` declares an argument in another case than the policies. */
const TOOLS = [
  { name: 'plain', inputSchema: { type: 'object' as const } },
  { name: 'upper', inputSchema: { type: 'object' as const, properties: { PATH: {}, Kind: {} } } },
  { name: 'closed', inputSchema: { type: 'object' as const } },
];

const POLICIES: { readonly [title: string]: readonly string[] } = {
  'some arguments': [
    'permit(principal, action, resource) unless { resource.name == "git_closed" };',
    'forbid(principal, action, resource) when { context has arg_path && context.arg_path like "/etc*" };',
    'forbid(principal, action, resource) when { context has arg_kind_present || context has "arg_straße" };',
    'forbid(principal, action, resource) when { context has arg_k && context.arg_k == 7 };',
  ],
  'all arguments': [
    'permit(principal, action, resource);',
    'forbid(principal, action, resource) when { context == {} };',
  ],
  'no arguments': ['permit(principal, action, resource) unless { resource.name == "git_closed" };'],
};

const CORP = object('MCPOIDCConfig', '{ type: inline, inline: { issuer: "https://id.example.com" } }', 'corp');

const name = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom('path', 'Path', 'PATH', 'kind', 'Kind', 'KIND', 'k', '\u212a', 'K', 'kind_present'),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom('stra\u00dfe', 'STRA\u1e9eE', 'STRASSE', '\u017f', 's', '__proto__', 'constructor', ''),
  },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 3 }) },
);
const value = fc.oneof(
  fc.constantFrom<unknown>(
    '/etc/passwd',
    '/tmp',
    7,
    7.5,
    1e300,
    -0,
    null,
    true,
    [],
    {},
    ['/etc'],
    { path: '/etc' },
    '\ud800',
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
const someArguments = fc.array(fc.tuple(name, value), { maxLength: 4 });
const manyArguments = fc
  .constantFrom(255, 256, 257, 10_000, 10_001)
  .map(count => Array.from({ length: count }, (_, at): [string, unknown] => [`a${at}`, at]));
const longArgument = fc
  .constantFrom(65_000, 65_536, 70_000)
  .map((length): [string, unknown][] => [['path', 'x'.repeat(length)]]);
const given = fc.oneof(
  { weight: 40, arbitrary: someArguments },
  { weight: 1, arbitrary: manyArguments },
  { weight: 1, arbitrary: longArgument },
);

/** The arguments in the form in which `lintel can` reads them from a file, without duplicate members. */
const toArguments = (members: readonly (readonly [string, unknown])[]) =>
  JSON.parse(JSON.stringify(Object.fromEntries(members))) as Record<string, unknown>;

test.each(Object.entries(POLICIES))(
  '`lintel can` and the gateway make the same decision by policies that read %s',
  async (_, policies) => {
    const offers = { [formatBackendKey('git')]: { tools: TOOLS } };
    const [model] = models([entries('git'), CORP, gatewayWithPolicies(policies)], offers);
    if (model === undefined) throw new Error('there is no gateway');
    const backend = await startStatelessServer({ tools: TOOLS });
    onTestFinished(() => backend.close());
    const { url } = await startGuarded([backendPlan('git', backend.url)], model.plan.authorization);

    const ofCan = (tool: string, args: Record<string, unknown>) => {
      const question = { action: 'call_tool', name: tool, args, claims: { ...ANN } } as const;
      const answer = decideAccess(model, question, { now: 0, user: 'joe' });
      if (answer.decision === 'no-such-name') return answer.decision;
      const { decision, listed, reason } = answer;
      if (decision !== 'denied') return decision;
      return listed !== true ? 'unknown' : reason.type === 'refused-arguments' ? 'refused' : 'denied';
    };
    const ofGateway = async (tool: string, args: Record<string, unknown>) => {
      const request = { method: 'tools/call', params: { name: tool, arguments: args } };
      const { text } = await post(url, formatRequest(request), { ...findHeaders(request), Authorization: bearer(ANN) });
      const { error } = JSON.parse(text) as { readonly error?: { readonly code: number; readonly message: string } };
      if (error === undefined) return 'allowed';
      if (error.message.startsWith('unknown tool')) return 'unknown';
      return error.code === -32602 ? 'refused' : error.code === 403 ? 'denied' : error.message;
    };

    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('git_plain', 'git_upper', 'git_closed'), given, async (tool, members) => {
        const args = toArguments(members);
        const answer = ofCan(tool, args);
        seen.add(answer);
        expect(answer).toBe(await ofGateway(tool, args));
      }),
      { numRuns: runs(400) },
    );
    expect([...seen]).toContain('allowed');
  },
);
