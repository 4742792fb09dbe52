import { configMap, gatewaySource } from '../objects.ts';
import type { Row, Step } from '../transcript.ts';

const AS_ACCOUNT = { 'impersonate-user': 'system:serviceaccount:NAMESPACE:deployer' };
const AS_JANE = { 'impersonate-user': 'jane' };

const name = ({ metadata, kind }: { metadata: { name?: string }; kind: string }) => metadata.name ?? kind;

const role = (rules: readonly object[]): Step => ({
  method: 'POST',
  path: 'roles',
  body: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'deployer' }, rules },
  show: name,
});
const binding = (subject: object): Step => ({
  method: 'POST',
  path: 'rolebindings',
  body: {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'deployer' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'deployer' },
    subjects: [subject],
  },
  show: name,
});

/** Requests that RBAC allows or denies, and impersonation. */
export const ACCESS: readonly Row[] = [
  {
    name: 'requests that no role allows are refused',
    steps: [
      { method: 'GET', path: 'configmaps/a', headers: AS_ACCOUNT },
      { method: 'GET', path: 'configmaps', headers: AS_JANE },
      { method: 'GET', path: '/api/v1/configmaps', headers: AS_JANE },
      { method: 'POST', path: 'configmaps', headers: AS_JANE, body: configMap('a') },
      {
        method: 'APPLY',
        path: 'gatewaysources/a',
        headers: AS_JANE,
        query: { fieldManager: 'x' },
        body: gatewaySource('a'),
      },
      { method: 'PATCH', path: 'gatewaysources/a/status', headers: AS_JANE, body: { status: {} } },
      { method: 'DELETE', path: 'gatewaysources/a', headers: AS_JANE },
      { method: 'GET', path: '/api/v1/namespaces/default', headers: AS_JANE },
    ],
  },
  {
    name: 'a role allows verbs, names and subresources apart',
    steps: [
      role([
        { apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'get'] },
        { apiGroups: [''], resources: ['secrets'], resourceNames: ['one'], verbs: ['get'] },
        { apiGroups: ['lintel.dev'], resources: ['gatewaysources/status'], verbs: ['*'] },
      ]),
      binding({ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'jane' }),
      { method: 'POST', path: 'configmaps', headers: AS_JANE, until: 201, body: configMap('a'), show: name },
      { method: 'GET', path: 'configmaps/a', headers: AS_JANE, show: name },
      { method: 'GET', path: 'configmaps', headers: AS_JANE },
      { method: 'PATCH', path: 'configmaps/a', headers: AS_JANE, body: { data: { k: 'v' } } },
      { method: 'GET', path: 'secrets/one', headers: AS_JANE },
      { method: 'GET', path: 'secrets/two', headers: AS_JANE },
      { method: 'PATCH', path: 'gatewaysources/a/status', headers: AS_JANE, body: { status: {} } },
      { method: 'PATCH', path: 'gatewaysources/a', headers: AS_JANE, body: { spec: {} } },
      { method: 'GET', path: 'configmaps/a', headers: AS_ACCOUNT },
    ],
  },
  {
    name: 'an apply needs the verb patch, and create for a missing object',
    steps: [
      role([{ apiGroups: [''], resources: ['configmaps'], verbs: ['patch'] }]),
      binding({ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'developers' }),
      {
        method: 'PATCH',
        path: 'configmaps/a',
        headers: { ...AS_JANE, 'impersonate-group': 'developers' },
        until: 404,
        body: { data: {} },
      },
      {
        method: 'APPLY',
        path: 'configmaps/a',
        headers: { ...AS_JANE, 'impersonate-group': 'developers' },
        query: { fieldManager: 'x' },
        body: configMap('a'),
      },
    ],
  },
];
