import { join } from 'node:path';
import { ApiObject, App, Chart } from 'cdk8s';
import { describe, expect, test } from 'vitest';
import { Caller, Gateway, Group, Incoming } from '../../compiler/cdk8s/index.ts';
import { CallerExposure, compileExposure, ExposureError } from '../../testing/index.ts';
import { loadChart } from '../support/chart-of.ts';
import { ROOT } from '../support/process.ts';

const POLICIES = join(ROOT, 'examples/policies');
const team = compileExposure(loadChart(join(POLICIES, 'specs/team.yaml')), { cwd: POLICIES });
const staff = team.caller({ groups: ['staff'] });
const editors = team.caller({ groups: ['editors'] });
const interns = team.caller({ groups: ['staff', 'interns'] });
const draft = { title: 'Draft: of a plan', text: 'nothing yet' };

describe('an expectation that is met returns the caller', () => {
  const holds: readonly [what: string, expectation: () => CallerExposure][] = [
    ['a permitted call', () => staff.canCall('notes_search')],
    ['a call of the only tool', () => editors.canCall('notes_write')],
    ['a call with permitted arguments', () => interns.canCall('notes_write', draft)],
    ['a call with other arguments', () => interns.cannotCall('notes_write', { title: 'Final', text: '' })],
    ['a forbidden tool', () => interns.cannotReach('climate_search')],
    ['a hidden tool', () => staff.cannotReach('climate_compare')],
    ['an unknown tool', () => staff.cannotReach('pg_drop_table')],
    ['a tool given as an object', () => staff.canCall({ backend: 'notes', name: 'search' })],
    ['a forbidden tool given as an object', () => interns.cannotReach({ backend: 'climate', name: 'search' })],
    ['a workflow given as an object', () => staff.cannotReach({ toolName: 'triage' })],
    ['an anonymous caller', () => team.anonymous().reaches(0).cannotCall('notes_search')],
    ['a chain of expectations', () => editors.canCall('notes_write').reaches(1).cannotReach('climate_search')],
  ];
  test.each(holds)('an expectation of compileExposure that holds returns the caller: %s', (_, expectation) => {
    expect(expectation()).toBeInstanceOf(CallerExposure);
  });
});

describe('an expectation that is not met throws with the reason', () => {
  const fails: readonly [what: string, expectation: () => unknown, message: RegExp][] = [
    [
      'a denied call',
      () => editors.canCall('notes_search'),
      /may call notes_search: denied: .*\n {2}no policy permits it/,
    ],
    [
      'an allowed call',
      () => editors.cannotCall('notes_write'),
      /may not call notes_write: allowed: .*\n {2}policy "editors-write"/,
    ],
    ['a call that needs other arguments', () => interns.canCall('notes_write'), /note: lists show it/],
    ['a mistyped name', () => staff.canCall('notes_serch'), /has no tool "notes_serch"; did you mean notes_search\?/],
    ['a mistyped name of a reached tool', () => staff.cannotReach('notes_serch'), /did you mean "notes_search"\?/],
    [
      'a reached tool',
      () => staff.cannotReach('notes_search'),
      /cannot reach notes_search: the policies permit the call/,
    ],
    ['a tool that only some arguments reach', () => interns.cannotReach('notes_write'), /the policies permit the call/],
    ['an empty name', () => staff.cannotReach(''), /cannot reach "": that is not a name/],
    [
      "a backend's own name",
      () => team.anonymous().cannotReach('search'),
      /that is not what clients see: they see ".*_search"/,
    ],
    ['a name with another separator', () => editors.cannotReach('climate-search'), /did you mean "climate_search"\?/],
    ['an unknown tool', () => staff.canCall({ backend: 'pg', name: 'drop' }), /has no tool "drop" of "pg"/],
    [
      'a caller with an exp claim',
      () => team.caller({ exp: 1 }).reaches(0),
      /exp would make the result depend on the day/,
    ],
    ['another number of tools', () => editors.reaches(0), /reaches 0 tools: it reaches 1: notes_write/],
    [
      'a caller without a token',
      () => team.anonymous().canCall('notes_search'),
      /an anonymous caller may call.*\n.*requires a token/,
    ],
  ];
  test.each(fails)(
    'an expectation of compileExposure that does not hold throws with the reason: %s',
    (_, expectation, message) => {
      expect(expectation).toThrow(message);
      expect(expectation).toThrow(ExposureError);
    },
  );
});

test('reachable() lists the names of the tools that a caller reaches', () => {
  expect(interns.reachable()).toEqual(['notes_read', 'notes_search', 'notes_write']);
  expect(team.gateway).toBe('default/team');
});

describe('a chart that cannot be checked throws', () => {
  const chart = new Chart(new App(), 'broken');
  new ApiObject(chart, 'gateway', {
    apiVersion: 'lintel.dev/v1beta1',
    kind: 'VirtualMCPServer',
    metadata: { name: 'broken' },
    spec: { incomingAuth: { type: 'oidcc' } },
  });
  const all = [
    loadChart(join(POLICIES, 'specs/team.yaml')),
    loadChart(join(ROOT, 'examples/quickstart/specs/quickstart.yaml')),
  ];
  const quickstart = { cwd: join(ROOT, 'examples/quickstart') };

  test('compileExposure throws with the findings of a chart with errors', () => {
    expect(() => compileExposure(chart)).toThrow(/error\[LNT\d+\][\s\S]*broken\.k8s\.yaml:\d+:\d+[\s\S]*oidcc/);
  });
  test('compileExposure throws for a chart without a gateway', () => {
    expect(() => compileExposure(new Chart(new App(), 'empty'))).toThrow('there is no gateway; there are: none');
  });
  test('compileExposure throws for a chart with several gateways, unless an option names one of them', () => {
    expect(() => compileExposure(all, { cwd: POLICIES })).toThrow('default/quickstart, default/team');
    expect(compileExposure(all, { cwd: POLICIES, gateway: 'team' }).gateway).toBe('default/team');
  });
  test('compileExposure throws without a tool lock if the answer needs a tool lock', () => {
    const unlocked = compileExposure(all[1] as Chart, { ...quickstart, catalog: false });
    expect(() => unlocked.anonymous().reaches(0)).toThrow('run `lintel lock`');
    const withPolicies = compileExposure(loadChart(join(POLICIES, 'specs/team.yaml')), {
      cwd: POLICIES,
      catalog: false,
    });
    // A caller that is refused, and a name that no policy permits, need no lock.
    withPolicies.anonymous().reaches(0).cannotReach('notes_search');
    withPolicies.caller({ groups: ['guests'] }).cannotReach('notes_write');
    expect(() => withPolicies.caller({ groups: ['editors'] }).cannotReach('notes_write')).toThrow('run `lintel lock`');
  });
});

test('a caller reaches no tool of a group without backends, with or without a tool lock', () => {
  const chart = new Chart(new App(), 'empty');
  const group = new Group(chart, 'none');
  const gateway = new Gateway(chart, 'eng', { group, incoming: Incoming.local() });
  gateway.grant(Caller.any()).everything();
  expect(compileExposure(chart, { config: false, catalog: false }).caller({}).reaches(0).reachable()).toEqual([]);
});
