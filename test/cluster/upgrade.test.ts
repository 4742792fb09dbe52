/** An older installation of the kustomization is upgraded by a real `kubectl`, as `controller/install/README.md` says. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { ASSETS, type RealApi, startRealApi } from '../support/kube-api/real.ts';
import { ROOT, type TemporaryFolder, temporaryFolder } from '../support/process.ts';

const KUBECTL = join(ASSETS ?? '', 'kubectl');
const hasKubectl = existsSync(KUBECTL);
const INSTALL = join(ROOT, 'controller/install');

describe.skipIf(!hasKubectl)(`kubectl${hasKubectl ? '' : ' [needs kubectl next to kube-apiserver]'}`, () => {
  let api: RealApi;
  let folder: TemporaryFolder;
  beforeAll(async () => {
    [api, folder] = await Promise.all([startRealApi(), temporaryFolder()]);
    await folder.write({ kubeconfig: api.kubeconfig(api.token) });
    for (const path of ['controller/install', 'schemas/generated/crd'])
      cpSync(join(ROOT, path), folder.file(`old/${path}`), { recursive: true });
    const groups = folder.file('old/schemas/generated/crd/lintel.dev_mcpgroups.yaml');
    const definition = parse(readFileSync(groups, 'utf8'));
    for (const { schema } of definition.spec.versions)
      delete schema.openAPIV3Schema.properties.spec.properties.description;
    writeFileSync(groups, stringify(definition));
  });
  afterAll(async () => {
    await api?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  const kubectl = async (...args: readonly string[]) => {
    const env = { PATH: process.env.PATH, HOME: folder.path };
    const run = promisify(execFile)(KUBECTL, ['--kubeconfig', folder.file('kubeconfig'), ...args], {
      env,
      maxBuffer: 64 << 20,
    });
    return run.then(
      ({ stdout }) => ({ code: 0, stdout }),
      ({ code, stdout }) => ({ code, stdout }) as { code: number; stdout: string },
    );
  };

  test('says which definitions an upgrade changes, changes them, and then says nothing', async () => {
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
    expect(changed).toEqual(['mcpgroups.lintel.dev']);

    const upgraded = await kubectl('apply', '-k', INSTALL);
    expect(upgraded.stdout.match(/^customresourcedefinition\S+ configured$/gm)).toEqual([
      'customresourcedefinition.apiextensions.k8s.io/mcpgroups.lintel.dev configured',
    ]);
    await expect.poll(async () => (await kubectl('apply', ...file)).code).toBe(0);
    expect(await kubectl('diff', '-k', INSTALL)).toEqual({ code: 0, stdout: '' });
  });
});
