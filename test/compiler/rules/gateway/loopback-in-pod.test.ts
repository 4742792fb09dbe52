import { describe, expect, test } from 'vitest';
import { judge } from '../../../support/gateway-rule.ts';
import { gateway, object } from '../../../support/rule.ts';

const GROUP = object('MCPGroup', '{}', 'tools');

const withBackend = (url: string, more = '') =>
  gateway(`incomingAuth: { type: anonymous }
  outgoingAuth: { source: inline }
  ${more}
  config:
    backends:
      - { name: notes, url: "${url}", transport: streamable-http }`);

const found = (url: string, more?: string) =>
  judge('loopbackInPod', [GROUP, withBackend(url, more)], {}, { target: 'pods' });

test.each([
  'http://127.0.0.1:4501/mcp',
  'http://localhost:4501',
  'https://127.8.9.1',
  'http://[::1]:1/',
  'http://LOCALHOST',
])('the rule loopbackInPod reports a backend at %s if the gateway will run in a pod', url => {
  expect(found(url)).toEqual([
    `LNT6020 warning 16:29 in a pod "${new URL(url).hostname}" is the pod itself, where no other program runs: backend "notes" cannot be reached`,
  ]);
});

test.each(['https://notes.example.com', 'http://notes', 'http://10.0.0.1/', 'http://localhost.example.com'])(
  'the rule loopbackInPod gives no finding about a backend at %s, even if the gateway will run in a pod',
  url => {
    expect(found(url)).toEqual([]);
  },
);

describe('programs next to the gateway in its pod', () => {
  test.each<[title: string, pod: string, findings: number]>([
    ['a further container', '{ containers: [{ name: notes, image: notes }] }', 0],
    ['a sidecar', '{ initContainers: [{ name: notes, image: notes, restartPolicy: Always }] }', 0],
    ['an init container that has ended', '{ initContainers: [{ name: notes, image: notes }] }', 1],
    ['the container of the gateway only', '{ containers: [{ name: vmcp, resources: {} }] }', 1],
  ])('the rule loopbackInPod gives the expected findings for: %s', (_, pod, findings) => {
    expect(found('http://127.0.0.1:4501', `podTemplateSpec: { spec: ${pod} }`)).toHaveLength(findings);
  });
});

test('the rule loopbackInPod gives no finding about a backend on localhost if the gateway will not run in a pod', () => {
  expect(judge('loopbackInPod', [GROUP, withBackend('http://127.0.0.1:4501')])).toEqual([]);
});
