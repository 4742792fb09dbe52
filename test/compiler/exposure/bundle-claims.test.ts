/** `lintel diff` does not believe an exposure file whose statements about a gateway contradict the gateway's bundle. */
import { describe, expect, test } from 'vitest';
import { type Exposure, readExposures } from '#compiler';
import type { GatewayBundle } from '#schemas';
import { findMismatch } from '../../../compiler/analysis/exposure/bundle-claims.ts';
import { getExposedName } from '../../../compiler/servers/exposed-name.ts';
import { AROUND_EXAMPLES, SPEC_EXAMPLES } from '../../support/code-examples.ts';
import { EXAMPLE_CATALOG } from '../../support/example-catalog.ts';
import { createCatalog } from '../../support/gateway-rule.ts';
import { ANONYMOUS, compiled, OFFERS, SPECS } from './sample.ts';

/** The specs without one policy: a workflow gets around this policy, so the gateway could not be built with it. */
const SERVED = SPECS.replace(/^ *- '@id\("no-ddl"\).*\n/m, '');

interface Built {
  readonly exposure: Exposure;
  readonly bundle: GatewayBundle;
  readonly name: string;
}

/** The gateways and exposures of these specs, as a build writes them and `lintel diff` reads them. */
function build(text: string, catalog: Parameters<typeof compiled>[1]): readonly Built[] {
  const { gateways, servers } = compiled(text, catalog);
  return [...gateways, ...servers].flatMap(({ bundle, exposure, object }) => {
    if (bundle === null) return [];
    const [read] = readExposures(JSON.parse(JSON.stringify(exposure()))) ?? [];
    if (read?.kind !== 'gateway') throw new Error(`no exposure of ${object.name}`);
    return [{ exposure: read, bundle, name: bundle.front === undefined ? object.name : getExposedName(object) }];
  });
}

const mismatch = ({ exposure, bundle, name }: Built) => findMismatch(exposure, bundle, name);

describe('the exposure of a build', () => {
  test.each([
    ['everything', `${SERVED}---\n${ANONYMOUS}`, createCatalog(OFFERS)],
    ['no tool lock', SERVED, undefined],
    ['a part of a tool lock', SERVED, createCatalog({ 'default/MCPServer/pg': OFFERS['default/MCPServer/pg'] ?? {} })],
  ])(
    "findMismatch finds no contradiction between a gateway's exposure file and bundle, compiled with %s",
    (_, text, catalog) => {
      const built = build(text, catalog);
      expect(built.map(({ name }) => name)).toContain('eng');
      expect(built.map(mismatch).filter(found => found !== undefined)).toEqual([]);
    },
  );

  test("findMismatch finds no contradiction between the exposure and the bundle of a code's examples, except for hidden tools", () => {
    const built = SPEC_EXAMPLES.flatMap(({ text }) => build(`${AROUND_EXAMPLES}---\n${text}`, EXAMPLE_CATALOG));
    expect(built.length).toBeGreaterThan(50);
    const hidesBySchema = ({ exposure }: Built) => exposure.withheld.some(({ reason }) => reason === 'invalid_schema');
    expect(built.filter(hidesBySchema).map(mismatch)).toEqual([{ type: 'unlisted' }, { type: 'unlisted' }]);
    expect(built.filter(one => !hidesBySchema(one)).flatMap(one => mismatch(one) ?? [])).toEqual([]);
  });
});

type Forgery = (exposure: Exposure) => object;

const forTools =
  (change: (tool: Exposure['tools'][number]) => object): Forgery =>
  ({ tools }) => ({ tools: tools.map(tool => ({ ...tool, ...change(tool) })) });

const nobody = { type: 'nobody' };

const FORGERIES: readonly (readonly [what: string, member: string, Forgery])[] = [
  ['another name', 'name', () => ({ name: 'other' })],
  ['another namespace', 'namespace', () => ({ namespace: 'other' })],
  ['a tool lock that is not whole', 'complete', () => ({ complete: false })],
  ['callers without a token', 'authentication', () => ({ authentication: { type: 'anonymous' } })],
  ['no policies', 'authorization', () => ({ authorization: { type: 'none' } })],
  ['fewer policies', 'authorization', ({ authorization }) => ({ authorization: { ...authorization, policies: 1 } })],
  ['another listing', 'listing', () => ({ listing: 'optimizer' })],
  [
    'another address',
    'backends',
    ({ backends }) => ({ backends: backends.map(one => ({ ...one, url: 'https://other.example.com/' })) }),
  ],
  [
    'another credential',
    'backends',
    ({ backends }) => ({
      backends: backends.map(one => ({
        ...one,
        credential: { strategy: 'none', identity: 'nobody', from: null, secrets: [] },
      })),
    }),
  ],
  ['a backend less', 'backends', ({ backends }) => ({ backends: backends.slice(1) })],
  ['no classes of callers', 'callers', () => ({ callers: [] })],
  ['tools without callers', 'tools', forTools(() => ({ direct: nobody, reach: nobody, through: [] }))],
  [
    'tools and classes without callers',
    'tools',
    ({ tools }) => ({
      callers: [],
      tools: tools.map(tool => ({ ...tool, direct: nobody, reach: nobody, through: [] })),
      composites: [],
      prompts: [],
      resources: [],
      resourceTemplates: [],
      withheld: [...tools],
    }),
  ],
  [
    'hidden tools',
    'tools',
    forTools(({ visibility }) => ({ visibility: visibility === 'hidden' ? 'advertised' : 'hidden' })),
  ],
  ['tools under other names', 'tools', forTools(({ name }) => ({ name: `${name}2` }))],
  ['a tool that no backend has', 'tools', ({ tools: [first, ...others] }) => ({ tools: [first, first, ...others] })],
  [
    'a hint of an override that is from the backend',
    'hints',
    forTools(({ hints }) => ({
      hints: Object.fromEntries(Object.entries(hints).map(([name, hint]) => [name, { ...hint, from: 'backend' }])),
    })),
  ],
  [
    'other calls of a workflow',
    'composites',
    ({ composites }) => ({ composites: composites.map(one => ({ ...one, calls: [] })) }),
  ],
  [
    'other hints of a workflow',
    'composites',
    ({ composites }) => ({
      composites: composites.map(one => ({ ...one, hints: { readOnlyHint: { value: true, from: 'steps' } } })),
    }),
  ],
  [
    'a prompt of another backend',
    'prompts',
    ({ prompts }) => ({ prompts: prompts.map(one => ({ ...one, name: 'other' })) }),
  ],
  [
    'a resource of another backend',
    'resources',
    ({ resources }) => ({ resources: resources.map(one => ({ ...one, backend: 'wiki' })), withheld: [] }),
  ],
];

describe('an exposure that was changed', () => {
  const built = build(SERVED, createCatalog(OFFERS));

  test.each(FORGERIES)(
    'findMismatch finds that an exposure file that was edited to have %s contradicts the bundle in %s',
    (_, member, forge) => {
      const [one] = built;
      if (one === undefined) throw new Error('the sample has errors');
      const forged = { ...one, exposure: { ...one.exposure, ...forge(one.exposure) } as Exposure };
      const found = mismatch(forged);
      if (found?.type === 'unlisted') expect(member).toMatch(/tools|resources/);
      else expect(found).toEqual({ type: 'contradiction', member });
    },
  );

  test('findMismatch cannot confirm by the bundle that an edited exposure file hides advertised tools because of their schemas', () => {
    const [one] = built;
    if (one === undefined) throw new Error('the sample has errors');
    const [tool] = one.exposure.tools.filter(({ visibility }) => visibility === 'advertised');
    if (tool === undefined) throw new Error('the sample advertises no tool');
    const { name, backend, originalName } = tool;
    const withheld = [{ type: 'tool', name, backend, originalName, reason: 'invalid_schema' }];
    const tools = one.exposure.tools.map(other =>
      other === tool ? { ...tool, visibility: 'hidden', direct: nobody } : other,
    );
    const forged = { ...one.exposure, tools, withheld: [...one.exposure.withheld, ...withheld] } as unknown as Exposure;
    expect(mismatch({ ...one, exposure: forged })).toEqual({ type: 'unlisted' });
  });

  test.each(['tools', 'prompts', 'resources', 'resourceTemplates'] as const)(
    'findMismatch notices that an exposure file was edited to have no %s',
    list => {
      const [one] = built;
      if (one === undefined) throw new Error('the sample has errors');
      const less = { ...one.exposure, [list]: [], withheld: [] };
      const { callers } = build(SERVED, createCatalog(OFFERS))[0]?.exposure ?? one.exposure;
      const without = callers.map(caller => ({
        ...caller,
        ...(list === 'tools' ? { tools: [] } : {}),
        ...(list === 'prompts' ? { prompts: [] } : {}),
        ...(list.startsWith('resource') ? { resources: [] } : {}),
      }));
      const found = mismatch({ ...one, exposure: { ...less, callers: without } });
      expect(['unlisted', 'contradiction']).toContain(found?.type);
    },
  );
});
