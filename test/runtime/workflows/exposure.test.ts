/** The paths in the exposure report are those that calls take: for random workflows, tools, names and settings. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
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
const composite = fc.record({
  name: fc.constantFrom('w', 'x', 'a_x', 'v'),
  references: fc.array(reference, { minLength: 1, maxLength: 4 }),
});
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

test('the report of `lintel exposure` and the routing table of the gateway agree on which tools each workflow calls', () => {
  let served = 0;
  fc.assert(
    fc.property(gateway, ({ offers: offered, composites, strategy, excludeAll }) => {
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
            compositeTools: composites.map(({ name, references }) => ({
              name,
              description: name,
              steps: references.map((one, at) => ({ id: `s${at}`, tool: one })),
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
          served += 1;
          const steps = workflow?.plan.steps ?? [];
          const reached = steps.flatMap(step =>
            step.type === 'elicitation' ? [] : [[step.id, findName.get(`${step.call.backend} ${step.call.tool}`)]],
          );
          expect(reached).toEqual(calls.map(call => [call.step, call.tool]));
          expect(computeDefinitionDigest(workflow?.definition)).toBe(digest);
        }
      }
    }),
    { numRuns: 150 },
  );
  expect(served).toBeGreaterThan(20);
});
