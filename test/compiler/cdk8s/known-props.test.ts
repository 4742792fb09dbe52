/** Unknown props, which JavaScript programs and spread objects can pass, are reported as errors at their place, and never ignored. */
import { App, Chart } from 'cdk8s';
import { describe, expect, test } from 'vitest';
import {
  Conflicts,
  Gateway,
  Group,
  Incoming,
  MCPGroup,
  Oidc,
  Sessions,
  Telemetry,
} from '../../../compiler/cdk8s/index.ts';

const chart = () => new Chart(new App(), 'chart');
const gateway = (props: object, Class: typeof Gateway = Gateway) =>
  new Class(chart(), 'eng', { group: Group.existing('eng'), incoming: Incoming.anonymous(), ...props });

class TeamGateway extends Gateway {}

describe('unknown props', () => {
  test.each<[what: string, build: (props: object) => unknown, props: object, message: string]>([
    ['Gateway', gateway, { replica: 2 }, 'Gateway takes no "replica"; did you mean "replicas"?'],
    ['Gateway', gateway, { team: 'eng' }, 'Gateway takes no "team"; it takes name, namespace, '],
    ['a subclass of Gateway', props => gateway(props, TeamGateway), { replica: 2 }, 'did you mean "replicas"?'],
    ['Group', props => new Group(chart(), 'eng', props), { descripton: '' }, 'did you mean "description"?'],
    [
      'Oidc.inline',
      props => Oidc.inline(chart(), 'corp', { issuer: 'https://id.example', ...props }),
      { nmae: '' },
      'did you mean "name"?',
    ],
    [
      'Oidc.serviceAccounts',
      props => Oidc.serviceAccounts(chart(), 'corp', props),
      { audience: '' },
      'takes no "audience"',
    ],
    ['forAudience', props => Oidc.existing('corp').forAudience('eng', props), { scope: [] }, 'did you mean "scopes"?'],
    [
      'groups',
      props => Oidc.existing('c').forAudience('eng', { groups: props }).bind(),
      { roles: '' },
      'groups takes no "roles"',
    ],
    [
      'Sessions.redis',
      props => Sessions.redis({ address: 'redis:6379', ...props }),
      { prefix: 'a:' },
      'takes no "prefix"',
    ],
    [
      'Conflicts.priority',
      props => Conflicts.priority([{ name: 'a', locked: undefined }], props),
      { format: '' },
      'takes no "format"',
    ],
    [
      'Telemetry',
      props => new Telemetry(chart(), 'otel', { prometheus: true, ...props }),
      { colector: {} },
      'did you mean "collector"?',
    ],
  ])('%s throws at an unknown prop: $3', (_, build, props, message) => {
    expect(() => build({})).not.toThrow();
    expect(() => build(props)).toThrow(message);
  });
});

test('a subclass of Gateway accepts props that only the subclass declares', () => {
  expect(() => gateway({ team: 'eng' }, TeamGateway)).not.toThrow();
});

test('an unknown metadata field throws at synthesis and suggests the nearest field of Kubernetes', () => {
  const one = chart();
  new MCPGroup(one, 'eng', { metadata: { finalizers: ['a.example/b'], lables: { a: 'b' } } });
  expect(() => one.toJson()).toThrow('/metadata/lables is no field; did you mean "labels"?');
});
