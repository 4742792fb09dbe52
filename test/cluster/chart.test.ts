/** Installs the Helm chart with a real `helm` on a real API server: it has the same objects as the kustomization, and reports invalid values. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { VERSION } from '#schemas';
import { chartFiles } from '../../build/chart/chart-files.ts';
import { type Installed, installed } from '../support/installed.ts';
import { ASSETS, type RealApi, startRealApi } from '../support/kube-api/real.ts';
import { ROOT, type TemporaryFolder, temporaryFolder } from '../support/process.ts';
import { GROUPS, GROUPS_PATH, isOlder, makeOlder } from './older-groups.ts';

/** `go install helm.sh/helm/v3/cmd/helm@latest` builds it; found on PATH, or next to the API server. */
const HELM = [ASSETS ?? '', ...(process.env.PATH ?? '').split(delimiter)]
  .map(folder => join(folder, 'helm'))
  .find(path => existsSync(path));

const execute = promisify(execFile);

/** A `helm` from `go install` would assume a Kubernetes version that is years old. */
const KUBE_VERSION = ['--kube-version', '1.34.0'];

const SET = ['--set', 'images.registry=registry.example.com'];

describe.skipIf(HELM === undefined)(`helm${HELM === undefined ? ' [needs helm]' : ''}`, () => {
  let folder: TemporaryFolder;
  let chart: string;
  beforeAll(async () => {
    folder = await temporaryFolder();
    await folder.write(Object.fromEntries([...chartFiles(ROOT)].map(([path, text]) => [`chart/${path}`, text])));
    chart = folder.file('chart');
  });
  afterAll(() => folder?.[Symbol.asyncDispose]());

  const helm = async (...args: readonly string[]) => {
    const env = { PATH: process.env.PATH, HOME: folder.path };
    try {
      const { stdout, stderr } = await execute(HELM ?? '', args, { cwd: folder.path, env, maxBuffer: 64 << 20 });
      return { code: 0, stdout, stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, stdout, stderr };
    }
  };
  const rendered = async (...args: readonly string[]): Promise<readonly Installed[]> => {
    const result = await helm('template', 'lintel', chart, ...KUBE_VERSION, '-n', 'lintel-system', ...args);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    return parseAllDocuments(result.stdout).map(document => document.toJS() as Installed);
  };
  const nameOf = ({ kind, metadata }: Installed) => `${kind}/${metadata.name}`;

  test('`helm lint --strict` reports no problem in the chart', async () => {
    expect(await helm('lint', '--strict', chart, ...SET)).toMatchObject({ code: 0 });
  });

  test('the Helm chart with default values renders the same objects as the kustomization, except for namespace and pull policy', async () => {
    const objects = new Map((await rendered(...SET)).map(object => [nameOf(object), object]));
    const expected = installed().filter(({ kind }) => kind !== 'Namespace');
    expect([...objects.keys()].sort()).toEqual(expected.map(nameOf).sort());
    for (const object of expected) {
      const found = JSON.parse(JSON.stringify(objects.get(nameOf(object)))) as Installed;
      if (object.kind === 'CustomResourceDefinition') {
        // The only annotation that the chart adds.
        const metadata = found.metadata as { annotations?: object };
        expect(metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
        delete metadata.annotations;
      }
      if (object.kind === 'Deployment') {
        const [container] = containersOf(found);
        expect(container?.imagePullPolicy).toBe('IfNotPresent');
        expect(container?.image).toBe(`registry.example.com/lintel-controller:${VERSION}`);
        delete container?.imagePullPolicy;
        const [own] = containersOf(object);
        // kustomize inserts the registry.
        if (container !== undefined && own !== undefined) container.image = own.image;
      }
      expect(found).toEqual(object);
    }
  });

  test('the values of the Helm chart change the matching fields of the rendered objects', async () => {
    const objects = await rendered(
      ...['--set', 'images.registry=ghcr.io/acme/,images.tag=v9,images.pullSecrets={regcred}'],
      ...['--set', 'replicas=3,watchNamespace=mcp,webhook.enabled=false,networkPolicy.enabled=false'],
      ...['--set', 'podDisruptionBudget.enabled=false,crds.install=false,extraArgs={--kube-api-qps=100}'],
      ...['--set', 'nodeSelector.disk=ssd,podAnnotations.team=tools,state.sizeLimit=9Gi'],
    );
    expect(objects.map(({ kind }) => kind)).not.toContain('CustomResourceDefinition');
    expect(objects.map(({ kind }) => kind)).not.toContain('NetworkPolicy');
    expect(objects.map(({ kind }) => kind)).not.toContain('PodDisruptionBudget');
    expect(objects.map(({ kind }) => kind)).not.toContain('Service');
    const deployment = objects.find(({ kind }) => kind === 'Deployment');
    expect(deployment).toMatchObject({
      spec: {
        replicas: 3,
        template: {
          metadata: { annotations: { team: 'tools' } },
          spec: {
            imagePullSecrets: [{ name: 'regcred' }],
            nodeSelector: { disk: 'ssd' },
            containers: [
              {
                image: 'ghcr.io/acme/lintel-controller:v9',
                args: [
                  '--leader-elect',
                  '--image=ghcr.io/acme/lintel-runtime:v9',
                  '--bridge-image=ghcr.io/acme/lintel-bridge:v9',
                  '--state-dir=/var/lib/lintel',
                  '--metrics-address=0.0.0.0:8081',
                  '--namespace=mcp',
                  '--kube-api-qps=100',
                ],
              },
            ],
          },
        },
      },
    });
  });

  test.each([
    [[], /images\.registry: name the registry that you pushed lintel-controller, lintel-runtime and lintel-bridge to/],
    [[...SET, '--set', 'replica=3'], /replica/],
    [[...SET, '--set', 'webhook.enable=false'], /enable/],
    [[...SET, '--set', 'replicas=0'], /replicas/],
  ])('helm refuses values with a mistake, and its error names the mistake: %j', async (args, message) => {
    const result = await helm('template', 'lintel', chart, ...KUBE_VERSION, ...args);
    expect(result.code).not.toBe(0);
    expect(result.stderr).toMatch(message);
  });

  describe('on a real API server', () => {
    let api: RealApi;
    let kubeconfig: string;
    beforeAll(async () => {
      api = await startRealApi();
      await folder.write({ kubeconfig: api.kubeconfig(api.token) });
      kubeconfig = folder.file('kubeconfig');
    });
    afterAll(() => api?.close());

    test('helm installs, upgrades and uninstalls the chart, and leaves the CustomResourceDefinitions in the cluster', async () => {
      const inCluster = (...args: readonly string[]) =>
        helm(...args, '--kubeconfig', kubeconfig, '-n', 'lintel-system');
      const install = await inCluster('install', 'lintel', chart, '--create-namespace', ...SET);
      expect(install).toMatchObject({ code: 0 });
      expect(install.stdout).toContain('port-forward deployment/lintel-controller 8081');
      const upgrade = await inCluster('upgrade', 'lintel', chart, ...SET, '--set', 'replicas=3');
      expect(upgrade).toMatchObject({ code: 0 });
      const path = '/apis/apps/v1/namespaces/lintel-system/deployments/lintel-controller';
      const { body } = await api.request('GET', path);
      expect(body).toMatchObject({ spec: { replicas: 3 } });
      expect(await inCluster('uninstall', 'lintel')).toMatchObject({ code: 0 });
      expect((await api.request('GET', path)).status).toBe(404);
      const definition = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gatewaysources.lintel.dev';
      expect((await api.request('GET', definition)).status).toBe(200);
    });

    test('`kubectl diff` names the CustomResourceDefinitions that an upgrade of the chart changes, and `helm upgrade` changes them', async () => {
      const older = [...chartFiles(ROOT)].map(([path, text]) => [`older/${path}`, ofOlderChart(path, text)]);
      await folder.write(Object.fromEntries(older));
      const inCluster = (...args: readonly string[]) =>
        helm(...args, '--kubeconfig', kubeconfig, '-n', 'lintel-system');
      const install = await inCluster('install', 'lintel', folder.file('older'), '--create-namespace', ...SET);
      expect(install).toMatchObject({ code: 0 });
      expect(await isClusterOlder()).toBe(true);

      const changed = async () => {
        const template = await helm('template', 'lintel', chart, ...KUBE_VERSION, '-n', 'lintel-system', ...SET);
        await folder.write({ 'new.yaml': template.stdout });
        const difference = await kubectl('diff', '--filename', folder.file('new.yaml'));
        return [...difference.matchAll(/^diff .*CustomResourceDefinition\.\.(\S+)$/gm)].map(([, name]) => name);
      };
      expect(await changed()).toEqual([GROUPS]);
      expect(await inCluster('upgrade', 'lintel', chart, ...SET)).toMatchObject({ code: 0 });
      expect(await isClusterOlder()).toBe(false);
      expect(await changed()).toEqual([]);
    });

    const isClusterOlder = async () => isOlder((await api.request('GET', GROUPS_PATH)).body);

    /** The standard output. The exit code of `kubectl diff` is 1 if the cluster differs, and higher if the command failed. */
    const kubectl = async (...args: readonly string[]) => {
      const env = { PATH: process.env.PATH, HOME: folder.path };
      const program = join(ASSETS ?? '', 'kubectl');
      const run = execute(program, ['--kubeconfig', kubeconfig, ...args], { env, maxBuffer: 64 << 20 });
      const ended = await run.catch((error: { readonly code?: unknown; readonly stdout: string }) => {
        if (args[0] === 'diff' && error.code === 1) return error;
        throw error;
      });
      return ended.stdout;
    };
  });
});

/** The chart of an older version. */
function ofOlderChart(path: string, text: string): string {
  return path.endsWith('lintel.dev_mcpgroups.yaml') ? stringify(makeOlder(parse(text))) : text;
}

function containersOf({ spec }: Installed): { image?: string | undefined; imagePullPolicy?: string }[] {
  return (spec as { template: { spec: { containers: { image?: string | undefined; imagePullPolicy?: string }[] } } })
    .template.spec.containers;
}
