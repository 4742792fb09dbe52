/** A real `kubectl` installs, upgrades and uninstalls the kustomization as in `controller/install/README.md`. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { SOURCE_FINALIZER, VERSION } from '#schemas';
import { readOptions } from '../../controller/index.ts';
import { ASSETS, type RealApi, startRealApi } from '../support/kube-api/real.ts';
import { ROOT, type TemporaryFolder, temporaryFolder } from '../support/process.ts';
import { GROUPS, makeOlder } from './older-groups.ts';

const KUBECTL = join(ASSETS ?? '', 'kubectl');
const hasKubectl = existsSync(KUBECTL);
const INSTALL = join(ROOT, 'controller/install');
const README = readFileSync(join(INSTALL, 'README.md'), 'utf8');

/** The arguments of a command in the README: the only one that begins with `start` and contains `text`. */
function chooseCommand(start: string, text = ''): string[] {
  const lines = README.split('\n').map(line => line.trim());
  const found = lines.filter(line => line.startsWith(start) && line.includes(text));
  const [, ...args] = found[0]?.split(' ') ?? [];
  expect(found, start).toHaveLength(1);
  return args.map(arg => arg.replace(/^'(.*)'$/, '$1'));
}

describe.skipIf(!hasKubectl)(`kubectl${hasKubectl ? '' : ' [needs kubectl next to kube-apiserver]'}`, () => {
  let api: RealApi;
  let folder: TemporaryFolder;
  beforeAll(async () => {
    [api, folder] = await Promise.all([startRealApi(), temporaryFolder()]);
    await folder.write({ kubeconfig: api.kubeconfig(api.token) });
    for (const path of ['controller/install', 'schemas/generated/crd'])
      cpSync(join(ROOT, path), folder.file(`old/${path}`), { recursive: true });
    const groups = folder.file('old/schemas/generated/crd/lintel.dev_mcpgroups.yaml');
    writeFileSync(groups, stringify(makeOlder(parse(readFileSync(groups, 'utf8')))));
  });
  afterAll(async () => {
    await api?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  const kubectl = async (...args: readonly string[]) => {
    const env = { PATH: process.env.PATH, HOME: folder.path };
    const run = promisify(execFile)(KUBECTL, ['--kubeconfig', folder.file('kubeconfig'), ...args], {
      cwd: ROOT,
      env,
      maxBuffer: 64 << 20,
    });
    return run.then(
      ({ stdout }) => ({ code: 0, stdout }),
      ({ code, stdout }) => ({ code, stdout }) as { code: number; stdout: string },
    );
  };

  test('`kubectl diff` shows which CustomResourceDefinitions an upgrade changes, and shows no change after the upgrade', async () => {
    const installed = await kubectl('apply', '-k', folder.file('old/controller/install'));
    expect(installed.code).toBe(0);
    const group = {
      apiVersion: 'lintel.dev/v1beta1',
      kind: 'MCPGroup',
      metadata: { name: 'tools', namespace: 'default' },
    };
    await folder.write({ 'group.json': JSON.stringify({ ...group, spec: { description: 'ours' } }) });
    const file = ['--filename', folder.file('group.json')];
    await expect.poll(async () => (await kubectl('get', 'mcpgroups')).code).toBe(0);
    expect((await kubectl('apply', ...file)).code).not.toBe(0);

    const difference = await kubectl('diff', '-k', INSTALL);
    expect(difference.code).toBe(1);
    const changed = [...difference.stdout.matchAll(/^diff .*CustomResourceDefinition\.\.(\S+)$/gm)].map(
      ([, name]) => name,
    );
    expect(changed).toEqual([GROUPS]);

    const upgraded = await kubectl('apply', '-k', INSTALL);
    expect(upgraded.stdout.match(/^customresourcedefinition\S+ configured$/gm)).toEqual([
      'customresourcedefinition.apiextensions.k8s.io/mcpgroups.lintel.dev configured',
    ]);
    await expect.poll(async () => (await kubectl('apply', ...file)).code).toBe(0);
    expect(await kubectl('diff', '-k', INSTALL)).toEqual({ code: 0, stdout: '' });
  });

  test('`kubectl kustomize` renders the kustomization of the README with the images that the kustomization names', async () => {
    const [, overlay = ''] = /```yaml\n(.*?)```/s.exec(README) ?? [];
    await folder.write({ 'own/kustomization.yaml': overlay });
    for (const path of ['controller/install', 'schemas/generated/crd'])
      cpSync(join(ROOT, path), folder.file(`own/lintel/${path}`), { recursive: true });
    const { code, stdout } = await kubectl('kustomize', folder.file('own'));
    expect(code).toBe(0);
    const objects = parseAllDocuments(stdout).map(document => document.toJS());
    const deployment = objects.find(({ kind }) => kind === 'Deployment');
    const [container] = deployment.spec.template.spec.containers;
    expect(container.image).toBe(`registry.internal/lintel-controller:${VERSION}`);
    expect(readOptions(container.args, {})).toMatchObject({
      image: `registry.internal/lintel-runtime:${VERSION}`,
      bridgeImage: `registry.internal/lintel-bridge:${VERSION}`,
    });
  });

  test('kubectl uninstalls the controller and keeps the CRDs, and can then still delete a GatewaySource', async () => {
    const source = {
      apiVersion: 'lintel.dev/v1beta1',
      kind: 'GatewaySource',
      metadata: { name: 'gateways', namespace: 'mcp', finalizers: [SOURCE_FINALIZER] },
      spec: { url: 'https://git.example.com/gateways.git' },
    };
    await folder.write({ 'source.json': JSON.stringify(source) });
    expect((await kubectl('create', 'namespace', 'mcp')).code).toBe(0);
    expect((await kubectl('apply', '--filename', folder.file('source.json'))).code).toBe(0);
    expect((await kubectl(...chooseCommand('kubectl patch', '"prune":false'))).code).toBe(0);
    expect((await kubectl(...chooseCommand('kubectl delete gatewaysources'), '--wait=false')).code).toBe(0);

    // Without a controller manager, the namespace is not emptied.
    expect((await kubectl(...chooseCommand('kubectl delete --namespace'))).code).toBe(0);
    expect((await kubectl(...chooseCommand('kubectl delete namespace'), '--wait=false')).code).toBe(0);
    const left = await kubectl('get', 'deployments,clusterroles,clusterrolebindings', '--all-namespaces', '-o', 'name');
    expect(left.stdout).not.toContain('lintel');
    expect((await kubectl('get', 'mcpgroups', 'tools', '--namespace', 'default')).code).toBe(0);

    expect((await kubectl('get', 'gatewaysources', 'gateways', '--namespace', 'mcp')).code).toBe(0);
    expect((await kubectl(...chooseCommand('kubectl patch', 'finalizers'))).code).toBe(0);
    expect((await kubectl(...chooseCommand('kubectl get gatewaysources'))).stdout).toBe('');
    expect((await kubectl(...chooseCommand('kubectl delete --kustomize'))).code).toBe(0);
    expect((await kubectl('get', 'crds', '-o', 'name')).stdout).not.toContain('lintel');
  });
});
