/** The result of a compilation in a worker contains all that the controller needs to choose the condition that changes. */
import { expect, test } from 'vitest';
import type { VirtualMCPServerSpec } from '#schemas';
import { createTreeCompiler } from '../../../../controller/compile/compile-tree.ts';
import { listSpecConditions } from '../../../../controller/status/index.ts';
import { temporaryFolder } from '../../../support/process.ts';
import { gateway, object } from '../../../support/rule.ts';

const ANONYMOUS = 'incomingAuth: { type: anonymous }';
const withKey = `${ANONYMOUS}
  outgoingAuth: { default: { type: externalAuthConfigRef, externalAuthConfigRef: { name: key } } }`;

test('each of two broken gateways in one repository has its own False condition', async () => {
  await using folder = await temporaryFolder({
    'around.yaml': object('MCPGroup', '{}', 'tools'),
    'group.yaml': gateway(ANONYMOUS, 'astray').replace('name: tools', 'name: tolls'),
    'key.yaml': [gateway(withKey, 'keyless'), object('MCPExternalAuthConfig', '{ type: headerInjection }', 'key')].join(
      '---\n',
    ),
  });
  const outcome = createTreeCompiler()({
    folder: folder.path,
    path: '.',
    defaultNamespace: 'default',
    clusterTexts: new Map(),
    withExposure: false,
  });
  const wrong = outcome.units.map(({ name, digest, diagnostics }) => [
    name,
    digest,
    listSpecConditions({} as VirtualMCPServerSpec, diagnostics, 'r')
      .filter(({ type, status }) => status === 'False' && type !== 'SessionStorageWarning')
      .map(({ type, reason }) => `${type} ${reason}`),
  ]);
  expect(wrong).toEqual([
    ['astray', null, ['GroupRefValidated GroupRefNotFound']],
    ['keyless', null, ['AuthConfigured AuthInvalid']],
  ]);
});
