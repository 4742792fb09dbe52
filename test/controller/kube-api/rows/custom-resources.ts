import { gatewaySource, mcpGroup } from '../objects.ts';
import type { Row } from '../transcript.ts';

const create = (spec: object) =>
  ({ method: 'POST', path: 'gatewaysources', body: gatewaySource('a', spec as never) }) as const;

/** Custom resources whose fields the server prunes, defaults or refuses by their structural schema. */
export const CUSTOM: readonly Row[] = [
  {
    name: 'unknown fields are pruned or refused',
    steps: [
      create({ nothing: 1, ref: { branch: 'main', nothing: 2 } }),
      {
        method: 'POST',
        path: 'gatewaysources',
        query: { fieldValidation: 'Strict' },
        body: gatewaySource('b', { nothing: 1 }),
      },
    ],
  },
  {
    name: 'required fields, types, enumerations and patterns',
    steps: [
      { method: 'POST', path: 'gatewaysources', body: { ...gatewaySource('a'), spec: {} } },
      { method: 'POST', path: 'gatewaysources', body: { ...gatewaySource('a'), spec: undefined } },
      create({ url: 7 }),
      create({ suspend: 'yes' }),
      create({ ref: 'main' }),
      create({ drift: 'sometimes' }),
      create({ drift: { mode: 'sometimes' } }),
      // The CEL rules, which the test double does not evaluate, would also refuse it.
      { ...create({ interval: 'soon' }), statusOnly: true },
      create({ url: null }),
      { method: 'POST', path: 'mcpgroups', body: mcpGroup('a', { description: ['x'] }) },
    ],
  },
  {
    name: 'a version is needed for a replacement',
    steps: [
      create({}),
      { method: 'PUT', path: 'gatewaysources/a', body: gatewaySource('a', { suspend: true }) },
      {
        method: 'PUT',
        path: 'gatewaysources/a',
        body: ([first]) => ({ ...first?.body, spec: { url: 'https://new.example' } }),
      },
    ],
  },
  {
    name: 'generations of custom resources',
    steps: [
      create({}),
      { method: 'PATCH', path: 'gatewaysources/a', body: { metadata: { annotations: { x: '1' } } } },
      { method: 'PATCH', path: 'gatewaysources/a', body: { spec: { suspend: true } } },
    ],
  },
];
