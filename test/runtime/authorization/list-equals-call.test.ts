/** Lists contain exactly what the caller may call: for random policies over claims, groups, annotations and arguments. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLogger } from '#runtime';
import type { CedarTarget } from '#shared/plan';
import type { Authorizer } from '../../../runtime/auth/authorization/authorizer.ts';
import { createAuthorizer } from '../../../runtime/auth/authorization/create-authorizer.ts';
import { PreparedList } from '../../../runtime/gateway/offers/prepared-list.ts';
import { getVisibleList } from '../../../runtime/gateway/routing/visible-lists.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { runs } from '../../support/runs.ts';
import { caller, cedarPlan, type PolicyText } from './plans.ts';

const log = createLogger('silent');

const TOOLS: readonly CedarTarget[] = ['a', 'b', 'c'].flatMap(name => [
  { name },
  { name: `${name}_reads`, annotations: { readOnlyHint: true } },
  { name: `${name}_writes`, annotations: { readOnlyHint: false, destructiveHint: true } },
]);

const ARGUMENTS: readonly Record<string, unknown>[] = [{}, { n: 1 }, { n: 9 }, { n: 'text' }, { n: [1] }, { m: true }];

const effect = fc.constantFrom('permit', 'permit', 'forbid');
const principal = fc.constantFrom('principal', 'principal in Group::"g"', 'principal == Client::"alice"');
const resource = fc.constantFrom(
  'resource',
  'resource == Tool::"a"',
  'resource == Tool::"b_reads"',
  'resource in MCP::"test"',
);
const condition = fc.constantFrom(
  'true',
  'principal.claim_org == "x"',
  'principal has claim_org && principal.claim_org == "x"',
  'resource.readOnlyHint',
  'resource has destructiveHint && resource.destructiveHint',
  'resource.name like "b*"',
);
/** With their list form: conditions on arguments are replaced by the result that favours the caller. */
const onArguments = fc.constantFrom('context.arg_n < 5', 'context has arg_n', 'context has arg_m && context.arg_m');

const plain = fc
  .tuple(effect, principal, resource, condition)
  .map(([e, p, r, c]): PolicyText => `${e}(${p}, action == Action::"call_tool", ${r}) when { ${c} };`);
const looking = fc.tuple(effect, principal, resource, condition, onArguments).map(([e, p, r, c, a]): PolicyText => {
  const head = `${e}(${p}, action == Action::"call_tool", ${r})`;
  return { text: `${head} when { ${c} && ${a} };`, listText: `${head} when { ${c} && ${e === 'permit'} };` };
});
const who = fc
  .record({ org: fc.constantFrom('x', 'y'), groups: fc.subarray(['g', 'h']) }, { requiredKeys: [] })
  .map(claims => caller(claims));

async function shown(
  authorizer: Authorizer,
  identity: ReturnType<typeof caller>,
  offered: readonly CedarTarget[] = TOOLS,
): Promise<readonly string[]> {
  const items = offered.map(({ name }) => ({ key: name, json: JSON.stringify({ name }) }));
  const none = new PreparedList('none', []);
  const lists = { tools: new PreparedList('tools', items), prompts: none, resources: none, resourceTemplates: none };
  const tools = new Map(
    TOOLS.map(({ name, annotations }) => [name, { backend: 'x', originalName: name, annotations }]),
  );
  const list = await getVisibleList({ lists, tools }, 'tools', authorizer.getAccess(identity));
  return list.items.map(({ key }) => key).toSorted();
}

const callable = (
  authorizer: Authorizer,
  identity: ReturnType<typeof caller>,
  args: readonly Record<string, unknown>[],
) =>
  TOOLS.filter(tool => args.some(one => authorizer.getAccess(identity).mayCall('call_tool', tool, () => one)))
    .map(({ name }) => name)
    .toSorted();

test('a list shows exactly the items that the caller may call, if policies do not read arguments', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(plain, { minLength: 1, maxLength: 6 }), who, async (policies, identity) => {
      const authorizer = createAuthorizer(cedarPlan(policies), log);
      expect(await shown(authorizer, identity)).toEqual(callable(authorizer, identity, [{}]));
      // In the other order too: a caller that calls before it lists.
      const other = createAuthorizer(cedarPlan(policies), log);
      expect(callable(other, identity, ARGUMENTS)).toEqual(await shown(other, identity));
    }),
    { numRuns: runs(40) },
  );
});

test('a caller may call no item that the list does not show, if policies read arguments', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(plain, looking), { minLength: 1, maxLength: 6 }),
      who,
      async (policies, identity) => {
        const authorizer = createAuthorizer(cedarPlan(policies), log);
        const visible = await shown(authorizer, identity);
        expect(visible).toEqual(expect.arrayContaining(callable(authorizer, identity, ARGUMENTS)));
      },
    ),
    { numRuns: runs(40) },
  );
});

test('whether a list shows a tool does not depend on which other tools the gateway offers', async () => {
  const told = fc.subarray([...TOOLS]);
  await fc.assert(
    fc.asyncProperty(
      fc.array(plain, { minLength: 1, maxLength: 6 }),
      who,
      told,
      async (policies, identity, offered) => {
        const authorizer = createAuthorizer(cedarPlan(policies), log);
        const names = new Set(offered.map(({ name }) => name));
        const expected = (await shown(authorizer, identity)).filter(name => names.has(name));
        expect(await shown(createAuthorizer(cedarPlan(policies), log), identity, offered)).toEqual(expected);
      },
    ),
    { numRuns: runs(40) },
  );
});

test('no tool name and no argument makes a Cedar evaluation fail', () => {
  const policy = { text: 'permit(principal, action, resource);', listText: 'permit(principal, action, resource);' };
  const authorizer = createAuthorizer(cedarPlan([policy]), log);
  const text = fc.oneof(fc.string({ unit: anyCharacter }), fc.string({ unit: 'grapheme' }));
  const args = fc.dictionary(text, fc.oneof(text, fc.integer(), fc.double(), fc.boolean(), fc.jsonValue()));
  fc.assert(
    fc.property(text, args, (name, given) => {
      expect(authorizer.getAccess(caller()).mayCall('call_tool', { name }, () => given)).toBe(true);
    }),
    { numRuns: runs(300) },
  );
  expect(authorizer.errorCount).toBe(0);
});
