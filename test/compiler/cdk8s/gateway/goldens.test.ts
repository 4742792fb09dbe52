import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Backend, Caller, Conflicts, Gateway, Incoming, Tools } from '../../../../compiler/cdk8s/index.ts';
import { OFFERS, tokens, world } from '../../../support/cdk8s-world.ts';
import { compiled } from '../../../support/compiled-chart.ts';
import { expectGolden } from '../../../support/golden.ts';

type World = ReturnType<typeof world>;

const CASES: readonly [name: string, build: (w: World) => void][] = [
  ['nothing-granted', ({ chart, group }) => void new Gateway(chart, 'eng', { group, incoming: tokens(chart) })],
  [
    'anonymous',
    ({ chart, group, docs }) =>
      void new Gateway(chart, 'public', { group, incoming: Incoming.anonymous() })
        .grant(Caller.any())
        .callAll(docs)
        .read({ under: 'docs://handbook/' }),
  ],
  [
    'grants',
    ({ chart, group, github, docs }) => {
      const gateway = new Gateway(chart, 'eng', { group, incoming: tokens(chart), replicas: 1 });
      gateway.rename(github.tools.create_issue, 'open_issue', { description: 'Opens an issue' });
      gateway.grant(Caller.group('eng'), { id: 'eng-issues' }).call(github.tools.create_issue, github.tools.search);
      gateway.grant(Caller.authenticated()).get(docs.prompt('outline'));
      gateway.grant(Caller.claim('team', 'docs "core"').and(Caller.scope('docs'))).callAll(docs);
      gateway.forbid(Caller.any()).call(Tools.destructive());
      gateway.hide(docs.tools.search);
      gateway.expect(e => e.anonymous().reaches(0));
      gateway.expect(e => e.caller({ groups: ['eng'] }).canCall(github.tools.create_issue));
    },
  ],
  [
    'priority-and-inline',
    ({ chart, group, github, docs }) => {
      const conflicts = Conflicts.priority([docs, github]);
      const gateway = new Gateway(chart, 'eng', { group, incoming: Incoming.anonymous(), conflicts });
      gateway.rename(github.tools.search, 'search_code');
      const notes = gateway.addBackend(
        Backend.inline({ name: 'notes', url: 'https://notes.example.com/mcp', transport: 'streamable-http' }),
      );
      gateway.expose(notes);
      gateway.grant(Caller.any()).call(github.tools.search, docs.tools.search);
    },
  ],
];

describe('manifests of gateways', () => {
  test.each(CASES)(
    'the Gateway construct writes the expected manifest, and writes the same manifest again in a second run: %s',
    (name, build) => {
      const w = world();
      build(w);
      const { yaml, findings } = compiled(w.chart, OFFERS);
      expect(findings).toEqual([]);
      expectGolden(join(import.meta.dirname, 'goldens', name), new Map([['chart.yaml', yaml]]));
      const again = world();
      build(again);
      expect(compiled(again.chart, OFFERS).yaml).toBe(yaml);
    },
  );
});
