/** What `kubectl apply -k controller/install` installs, built as kustomize does, and what its roles allow. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { KINDS_FILE, VERSION } from '#schemas';
import { readOptions } from '../../../controller/index.ts';
import { type Installed, installed } from '../../support/installed.ts';
import { createUser, roleBasedAccess } from '../../support/kube-api/access.ts';
import type { JsonObject } from '../../support/kube-api/json.ts';
import { ROOT } from '../../support/process.ts';

const controllerObjects = installed();
const sampleObjects = installed('sample');
const objects = [...controllerObjects, ...sampleObjects];
const one = (kind: string, name: string): Installed => {
  const found = objects.find(object => object.kind === kind && object.metadata.name === name);
  if (found === undefined) throw new Error(`${kind} ${name} is not installed`);
  return found;
};

test('the installation has a CustomResourceDefinition for every kind of Lintel', () => {
  const defined = controllerObjects
    .filter(({ kind }) => kind === 'CustomResourceDefinition')
    .map(({ spec }) => (spec as { names: { kind: string } }).names.kind);
  expect(defined.sort()).toEqual(Object.keys(KINDS_FILE).sort());
});

test('no CustomResourceDefinition is too large for the annotation of a client-side apply', () => {
  // `kubectl apply` without --server-side stores the whole object in an annotation, and all annotations together may have 256 KiB.
  for (const object of controllerObjects) expect(JSON.stringify(object).length).toBeLessThan(250_000);
});

describe('the Deployment', () => {
  const { spec } = one('Deployment', 'lintel-controller') as unknown as {
    spec: {
      replicas: number;
      template: {
        spec: {
          securityContext: { runAsNonRoot: boolean };
          containers: readonly {
            args: readonly string[];
            ports: readonly { containerPort: number }[];
            securityContext: object;
            volumeMounts: readonly { mountPath: string }[];
          }[];
        };
      };
    };
  };
  const [container] = spec.template.spec.containers;

  test('the Deployment starts the controller with options that the controller accepts', () => {
    expect(readOptions([...(container?.args ?? [])], {})).toMatchObject({ mode: 'cluster' });
  });

  test('the Deployment takes the runtime image from the registry of the controller image', () => {
    const { images } = parse(readFileSync(join(ROOT, 'controller/install/kustomization.yaml'), 'utf8')) as {
      images: readonly { newName: string; newTag: string }[];
    };
    const own = images[0];
    const image = `${own?.newName.replace('controller', 'runtime')}:${own?.newTag}`;
    expect(container?.args).toContain(`--image=${image}`);
    expect(own?.newTag).toBe(VERSION);
  });

  test('the Deployment runs several controller replicas that elect a leader', () => {
    expect(spec.replicas).toBeGreaterThan(1);
    expect(container?.args).toContain('--leader-elect');
  });

  test('the Deployment runs the controller without root, privileges and capabilities', () => {
    expect(spec.template.spec.securityContext.runAsNonRoot).toBe(true);
    expect(container?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  test('the Deployment mounts a volume at the state directory of the controller', () => {
    const stateDir = container?.args.find(arg => arg.startsWith('--state-dir='))?.split('=')[1];
    expect(container?.volumeMounts.map(({ mountPath }) => mountPath).sort()).toEqual(['/tmp', stateDir]);
  });
});

describe('its roles', () => {
  const may = roleBasedAccess(() => objects as unknown as JsonObject[]);
  const controller = createUser('system:serviceaccount:lintel-system:lintel-controller');
  const deployer = createUser('system:serviceaccount:mcp:lintel-deployer');
  const asks = (user: typeof controller, question: string) => {
    const [verb = '', what = '', where = '', name = ''] = question.split(' ');
    const [group = '', resource = ''] = what.includes(':') ? what.split(':') : ['', what];
    return may({ user, verb, group, resource, namespace: where === '-' ? '' : where, name });
  };

  test.each([
    'list lintel.dev:gatewaysources -',
    'watch lintel.dev:mcpservers mcp',
    'patch lintel.dev:gatewaysources/status mcp gateways',
    'patch lintel.dev:virtualmcpservers/status mcp eng',
    'patch toolhive.stacklok.dev:virtualmcpservers/status mcp eng',
    'list apps:deployments -',
    'watch pods -',
    'create events mcp',
    'create coordination.k8s.io:leases lintel-system',
    'update coordination.k8s.io:leases lintel-system lintel-controller',
    'impersonate serviceaccounts mcp lintel-deployer',
  ])('the roles of the controller allow the request: %s', question => expect(asks(controller, question)).toBe(true));

  test.each(Object.values(KINDS_FILE))('the roles allow the controller to list and watch $plural', ({ plural }) => {
    for (const verb of ['list', 'watch']) expect(asks(controller, `${verb} lintel.dev:${plural} -`)).toBe(true);
  });

  test.each([
    'get secrets mcp gateways-git',
    'list secrets -',
    'get configmaps mcp settings',
    'get lintel.dev:mcpserverentries mcp github',
    'get toolhive.stacklok.dev:mcpservers mcp github',
    'patch toolhive.stacklok.dev:mcpservers/status mcp github',
    'create apps:deployments mcp',
    'patch apps:deployments mcp eng',
    'delete lintel.dev:virtualmcpservers mcp eng',
    'create lintel.dev:virtualmcpservers mcp eng',
    'update coordination.k8s.io:leases lintel-system other',
    'update coordination.k8s.io:leases kube-system kube-scheduler',
    'impersonate serviceaccounts mcp default',
    'impersonate serviceaccounts kube-system lintel-deployer',
    'impersonate users - admin',
    'impersonate groups - system:masters',
    'create pods/exec mcp',
    'bind rbac.authorization.k8s.io:clusterroles - cluster-admin',
  ])('the roles of the controller do not allow the request: %s', question =>
    expect(asks(controller, question)).toBe(false),
  );

  test.each([
    'get secrets mcp gateways-git',
    'create apps:deployments mcp',
    'patch lintel.dev:virtualmcpservers mcp eng',
    'create toolhive.stacklok.dev:mcpgroups mcp',
    'delete configmaps mcp eng-bundle-0',
    'create networking.k8s.io:networkpolicies mcp',
    'create policy:poddisruptionbudgets mcp',
  ])('the role of the deployer account allows the request: %s', question =>
    expect(asks(deployer, question)).toBe(true),
  );

  test.each([
    'get secrets mcp other',
    'list secrets mcp',
    'create apps:deployments default',
    'patch lintel.dev:gatewaysources mcp gateways',
    'create rbac.authorization.k8s.io:rolebindings mcp',
    'create pods mcp',
    'impersonate serviceaccounts mcp lintel-deployer',
  ])('the role of the deployer account does not allow the request: %s', question =>
    expect(asks(deployer, question)).toBe(false),
  );
});

test('the sample GatewaySource names an existing service account in its own namespace', () => {
  const source = one('GatewaySource', 'gateways') as Installed & {
    readonly spec: { readonly serviceAccountName: string };
  };
  expect(one('ServiceAccount', source.spec.serviceAccountName).metadata.namespace).toBe(source.metadata.namespace);
});
