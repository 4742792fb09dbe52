/** The paths in the exposure report are those that calls take: for random workflows, tools, names and settings, run by the engine. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { runWorkflow, VirtualTime, type WorkflowHost } from '#runtime';
import type { WorkflowPlan } from '#schemas';
import { computeDefinitionDigest } from '../../../compiler/analysis/exposure/definition-digest.ts';
import { buildTable } from '../../../runtime/gateway/routing/table.ts';
import { compiled } from '../../compiler/exposure/sample.ts';
import { createCatalog } from '../../support/gateway-rule.ts';

const BACKENDS = ['a', 'b', 'a.b'];
const TOOLS = ['x', 'y', 'b.x'];

const annotations = fc.option(
  fc.record({ readOnlyHint: fc.boolean(), destructiveHint: fc.boolean() }, { requiredKeys: [] }),
  { nil: undefined },
);
const tool = fc.record({ name: fc.constantFrom(...TOOLS), annotations });
const offers = fc.tuple(...BACKENDS.map(() => fc.uniqueArray(tool, { selector: ({ name }) => name, maxLength: 3 })));
const reference = fc.oneof(
  fc
    .tuple(fc.constantFrom(...BACKENDS), fc.constantFrom('_', '.'), fc.constantFrom(...TOOLS))
    .map(parts => parts.join('')),
  fc.constantFrom(...TOOLS),
);
const step = fc.record({
  reference,
  type: fc.constantFrom('tool', 'tool', 'forEach', 'elicitation'),
  condition: fc.constantFrom(undefined, undefined, true, false),
  /** Which steps before it the step depends on, by their distance. */
  after: fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { maxLength: 2 }),
});
const composite = fc.record({
  name: fc.constantFrom('w', 'x', 'a_x', 'v'),
  steps: fc.array(step, { minLength: 1, maxLength: 5 }),
});
type RandomStep = typeof step extends fc.Arbitrary<infer T> ? T : never;
const gateway = fc.record({
  offers,
  composites: fc.uniqueArray(composite, { selector: ({ name }) => name, minLength: 1, maxLength: 3 }),
  strategy: fc.constantFrom('prefix', 'priority'),
  excludeAll: fc.boolean(),
});

const object = (kind: string, name: string, spec?: object) => ({
  apiVersion: 'lintel.dev/v1beta1',
  kind,
  metadata: { name },
  ...(spec === undefined ? {} : { spec }),
});

function formatStep({ reference: tool, type, condition, after }: RandomStep, at: number): object {
  const common = {
    id: `s${at}`,
    dependsOn: after.filter(distance => distance <= at).map(distance => `s${at - distance}`),
    ...(condition === undefined ? {} : { condition: String(condition) }),
  };
  if (type === 'tool') return { ...common, tool };
  if (type === 'elicitation') return { ...common, type, message: 'Go on?', schema: { type: 'object', properties: {} } };
  return { ...common, type, collection: '[1, 2]', step: { id: `s${at}-item`, tool } };
}

/** The calls of a run in which every tool answers and every person agrees: step, and `<backend> <tool>`. */
async function callsOf(plan: WorkflowPlan): Promise<readonly (readonly [step: string, tool: string])[]> {
  const time = new VirtualTime(0);
  const calls: [string, string][] = [];
  const host: WorkflowHost = {
    id: 'r',
    now: () => time.now(),
    after: (ms, then) => time.after(ms, then),
    random: () => 0.5,
    callTool: async ({ backend, tool: name }, _args, id) => {
      calls.push([id, `${backend} ${name}`]);
      return {};
    },
    elicit: async () => ({ action: 'accept', content: {} }),
  };
  expect((await time.until(runWorkflow(plan, {}, host))).failure).toBeUndefined();
  return calls;
}

test('the report of `lintel exposure` and the routing table of the gateway agree on which tools each workflow calls', async () => {
  let served = 0;
  let repeated = 0;
  await fc.assert(
    fc.asyncProperty(gateway, async ({ offers: offered, composites, strategy, excludeAll }) => {
      const specs = [
        object('MCPGroup', 'g'),
        ...BACKENDS.map(name =>
          object('MCPServerEntry', name, {
            groupRef: { name: 'g' },
            remoteUrl: `https://${name}.example.com/mcp`,
            transport: 'streamable-http',
          }),
        ),
        object('VirtualMCPServer', 'gw', {
          groupRef: { name: 'g' },
          incomingAuth: { type: 'anonymous' },
          config: {
            aggregation: {
              conflictResolution: strategy,
              ...(strategy === 'priority' ? { conflictResolutionConfig: { priorityOrder: ['b', 'a'] } } : {}),
              excludeAllTools: excludeAll,
            },
            compositeTools: composites.map(({ name, steps }) => ({
              name,
              description: name,
              steps: steps.map(formatStep),
            })),
          },
        }),
      ];
      const tools = new Map(
        BACKENDS.map((name, at) => [
          name,
          (offered[at] ?? []).map(one => ({
            name: one.name,
            inputSchema: { type: 'object' },
            annotations: one.annotations ?? {},
          })),
        ]),
      );
      const none = { prompts: [], resources: [], resourceTemplates: [] };
      const catalog = createCatalog(
        Object.fromEntries(
          BACKENDS.map(name => [`default/MCPServerEntry/${name}`, { tools: tools.get(name) ?? [], ...none }]),
        ),
      );
      const [one] = compiled(specs.map(spec => stringify(spec)).join('---\n'), catalog).gateways;
      const [model, exposure] = [one?.model(), one?.exposure()];
      if (model == null || exposure == null) throw new Error('the specs have errors');
      const table = buildTable(
        model.plan,
        model.plan.backends.map(plan => ({
          plan,
          items: { tools: tools.get(plan.name) ?? [], ...none },
          available: true,
        })),
      );
      const findName = new Map(
        exposure.tools.map(({ name, backend, originalName }) => [`${backend} ${originalName}`, name]),
      );
      for (const { name, calls, digest } of exposure.composites) {
        const workflow = table.tools.get(name)?.workflow;
        const why = table.withheld.find(item => item.backend === '' && item.name === name)?.reason;
        if (findName.size > 0 && [...findName.values()].includes(name))
          expect([workflow, why]).toEqual([undefined, 'collision']);
        else if (calls.some(call => call.tool === null)) expect([workflow, why]).toEqual([undefined, 'unknown_tool']);
        else {
          if (workflow === undefined) throw new Error(`${name} is withheld: ${why}`);
          served += 1;
          const random = composites.find(one => one.name === name)?.steps ?? [];
          const made = await callsOf(workflow.plan);
          repeated += made.length - new Set(made.map(([id]) => id)).size;
          const reached = new Map(made.map(([id, key]) => [id, findName.get(key)]));
          const isRun = (id: string) => random[Number(id.slice(1))]?.condition !== false;
          // The report names the inner step of a repeated step, and the run its outer step.
          const paths = calls.map(call => [call.step.replace('-item', ''), call.tool] as const);
          const reported = paths.filter(([id]) => isRun(id));
          expect([...reached].toSorted()).toEqual(reported.toSorted());
          expect(paths.map(([id]) => id).toSorted()).toEqual(
            random.flatMap(({ type }, at) => (type === 'elicitation' ? [] : [`s${at}`])),
          );
          expect(computeDefinitionDigest(workflow.definition)).toBe(digest);
        }
      }
    }),
    { numRuns: 150 },
  );
  expect(served).toBeGreaterThan(20);
  expect(repeated).toBeGreaterThan(5);
});
