import { deployment, gatewaySource } from '../objects.ts';
import type { Row } from '../transcript.ts';

const condition = (type: string, status = 'True') => ({
  type,
  status,
  reason: 'Succeeded',
  message: 'done',
  lastTransitionTime: '2026-01-02T03:04:05Z',
});
const STATUS_WRITER = { fieldManager: 'lintel-status', force: true };

interface Body {
  readonly spec: { readonly replicas: number };
  readonly status: object;
  readonly metadata: {
    readonly generation: number;
    readonly managedFields: readonly {
      readonly manager: string;
      readonly subresource?: string;
      readonly fieldsV1: object;
    }[];
  };
}

const shown = ({ spec, status, metadata }: Body) => ({
  replicas: spec.replicas,
  status,
  generation: metadata.generation,
  subresources: metadata.managedFields
    .filter(({ subresource }) => subresource !== undefined)
    .map(({ manager, subresource, fieldsV1 }) => ({ manager, subresource, fieldsV1 })),
});

/** The status subresource. */
export const STATUS: readonly Row[] = [
  {
    name: 'status is only written under its own path',
    steps: [
      { method: 'POST', path: 'gatewaysources', body: gatewaySource('a', {}, { status: { observedGeneration: 7 } }) },
      { method: 'PATCH', path: 'gatewaysources/a', body: { status: { observedGeneration: 7 } } },
      {
        method: 'PATCH',
        path: 'gatewaysources/a/status',
        query: { fieldManager: 'lintel-status' },
        body: { spec: { url: 'https://other.example' }, status: { observedGeneration: 1 } },
      },
      { method: 'PATCH', path: 'gatewaysources/a', body: { spec: { suspend: true } } },
      { method: 'GET', path: 'gatewaysources/a/status' },
    ],
  },
  {
    name: 'the status is applied separately from the spec',
    steps: [
      { method: 'APPLY', path: 'gatewaysources/a', query: { fieldManager: 'lintel' }, body: gatewaySource('a') },
      {
        method: 'APPLY',
        path: 'gatewaysources/a/status',
        query: STATUS_WRITER,
        body: {
          ...gatewaySource('a'),
          spec: undefined,
          status: { observedGeneration: 1, conditions: [condition('Ready'), condition('Reconciling')] },
        },
      },
      {
        method: 'APPLY',
        path: 'gatewaysources/a/status',
        query: STATUS_WRITER,
        body: {
          ...gatewaySource('a'),
          spec: undefined,
          status: { observedGeneration: 1, conditions: [condition('Ready'), condition('Reconciling')] },
        },
      },
      {
        method: 'APPLY',
        path: 'gatewaysources/a/status',
        query: { fieldManager: 'other' },
        body: { ...gatewaySource('a'), spec: undefined, status: { conditions: [condition('Other')] } },
      },
      {
        method: 'APPLY',
        path: 'gatewaysources/a/status',
        query: STATUS_WRITER,
        body: {
          ...gatewaySource('a'),
          spec: undefined,
          status: { observedGeneration: 1, conditions: [condition('Ready', 'False')] },
        },
      },
      {
        method: 'APPLY',
        path: 'gatewaysources/a',
        query: { fieldManager: 'lintel' },
        body: gatewaySource('a', { interval: '1m' }),
      },
      {
        method: 'APPLY',
        path: 'gatewaysources/missing/status',
        query: STATUS_WRITER,
        body: { ...gatewaySource('missing'), status: {} },
      },
    ],
  },
  {
    name: 'a status that the schema does not have',
    steps: [
      { method: 'POST', path: 'gatewaysources', body: gatewaySource('a') },
      { method: 'PATCH', path: 'gatewaysources/a/status', body: { status: { observedGeneration: 'one' } } },
      { method: 'PATCH', path: 'gatewaysources/a/status', body: { status: { conditions: [{ type: 'Ready' }] } } },
      {
        method: 'PATCH',
        path: 'gatewaysources/a/status',
        body: { status: { conditions: [condition('Ready'), condition('Ready')] } },
      },
    ],
  },
  {
    name: 'the status of a Deployment',
    steps: [
      {
        method: 'POST',
        path: 'deployments',
        body: { ...deployment('a', {}, { replicas: 2 }), status: { replicas: 9 } },
        show: shown,
      },
      {
        method: 'PATCH',
        path: 'deployments/a/status',
        query: { fieldManager: 'kcm' },
        body: { spec: { replicas: 7 }, status: { replicas: 2, observedGeneration: 1 } },
        show: shown,
      },
      { method: 'PATCH', path: 'deployments/a', body: { status: { replicas: 8 }, spec: { replicas: 3 } }, show: shown },
    ],
  },
];
