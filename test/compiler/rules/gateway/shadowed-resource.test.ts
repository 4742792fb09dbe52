import { expect, test } from 'vitest';
import { entries, findings, formatBackendKey, judge } from '../../../support/gateway-rule.ts';
import { gatewayConfig } from '../../../support/rule.ts';

const uris = (...names: readonly string[]) => names.map(uri => ({ uri, name: 'n' }));

test('the rule shadowedResource gives no finding about backends with different resource URIs', () => {
  const offers = {
    [formatBackendKey('a')]: { resources: uris('x:1') },
    [formatBackendKey('b')]: { resources: uris('x:2') },
  };
  expect(judge('shadowedResource', [gatewayConfig('{}'), entries('a', 'b')], offers)).toEqual([]);
});

test('the rule shadowedResource gives one finding for each two backends with equal resource URIs', () => {
  const offers = {
    [formatBackendKey('a')]: {
      resources: uris('x:1', 'x:2'),
      resourceTemplates: [{ uriTemplate: 'x:{n}', name: 'n' }],
    },
    [formatBackendKey('b')]: {
      resources: uris('x:1', 'x:2', 'x:3'),
      resourceTemplates: [{ uriTemplate: 'x:{n}', name: 'n' }],
    },
    [formatBackendKey('c')]: { resources: uris('x:3') },
  };
  const objects = [gatewayConfig('{}'), entries('a', 'b', 'c')];
  expect(judge('shadowedResource', objects, offers)).toEqual([
    'LNT3005 warning 5:21 "a" and "b" both have "x:1", "x:2" and "x:{n}"; clients only get what "a" serves',
    'LNT3005 warning 5:21 "b" and "c" both have "x:3"; clients only get what "b" serves',
  ]);
  const related = findings('shadowedResource', objects, offers)[0]?.related;
  expect(related?.map(({ message, range }) => `${range.start.line} ${message}`)).toEqual(['16 "a"', '21 "b"']);
});
