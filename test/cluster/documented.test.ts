/** A real `kubectl` runs the commands of docs/gitops.md and docs/source-not-ready.md on a real API server, in the order of the pages. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ASSETS, type RealApi, startRealApi } from '../support/kube-api/real.ts';
import { ROOT, type TemporaryFolder, temporaryFolder } from '../support/process.ts';

const KUBECTL = join(ASSETS ?? '', 'kubectl');
const hasKubectl = existsSync(KUBECTL);

const page = (name: string) => readFileSync(join(ROOT, name), 'utf8');
const transcripts = (name: string) =>
  [...page(name).matchAll(/^```console\n(.*?)^```/gms)].map(([, text = '']) =>
    text.split('\n').flatMap(line => (line.startsWith('$ ') ? [line.slice(2)] : [])),
  );

/** The commands of the only transcript on a page that has this text. */
function chooseTranscript(name: string, text: string): readonly string[] {
  const found = transcripts(name).filter(commands => commands.some(command => command.includes(text)));
  expect(found, text).toHaveLength(1);
  return found[0] ?? [];
}

describe.skipIf(!hasKubectl)(`kubectl${hasKubectl ? '' : ' [needs kubectl next to kube-apiserver]'}`, () => {
  let api: RealApi;
  let folder: TemporaryFolder;
  beforeAll(async () => {
    [api, folder] = await Promise.all([startRealApi(), temporaryFolder()]);
    const [, overlay = ''] = /```yaml\n(.*?)```/s.exec(page('controller/install/README.md')) ?? [];
    await folder.write({
      config: api.kubeconfig(api.token),
      'work/kustomization.yaml': overlay,
      'work/token.txt': 'a token\n',
      'work/id_ed25519': 'a key\n',
      'work/known_hosts': 'git.example.com ssh-ed25519 AAAA\n',
    });
    for (const path of ['controller/install', 'schemas/generated/crd'])
      cpSync(join(ROOT, path), folder.file(`work/lintel/${path}`), { recursive: true });
    mkdirSync(folder.file('bin'));
    symlinkSync(KUBECTL, folder.file('bin/kubectl'));
  });
  afterAll(async () => {
    await api?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  /** Runs a line as a shell does, in the folder of the person who follows the page. */
  const shell = async (line: string): Promise<string> => {
    const env = {
      PATH: [folder.file('bin'), process.env.PATH ?? ''].join(delimiter),
      HOME: folder.path,
      KUBECONFIG: folder.file('config'),
    };
    const { stdout } = await promisify(execFile)('sh', ['-c', line], { cwd: folder.file('work'), env });
    return stdout;
  };

  test('the commands of docs/gitops.md install the controller and a namespace that follows a repository', async () => {
    const [install = '', copy = '', edit = '', apply = '', look = '', ...more] = chooseTranscript(
      'docs/gitops.md',
      'controller/install/sample',
    );
    expect(more).toEqual([]);
    expect(await shell(install)).toMatch(/^deployment\.apps\/lintel-controller created$/m);
    await shell(copy);
    expect(edit).toBe('vi team/source.yaml');
    expect(existsSync(folder.file('work/team/source.yaml'))).toBe(true);
    // The API server serves a kind shortly after its definition was created.
    await expect
      .poll(() =>
        shell(apply).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    expect(look).toMatch(/^kubectl get gatewaysources --namespace mcp --watch$/);
    const shown = await shell(look.replace(' --watch', ''));
    expect(shown).toMatch(/^NAME +.*READY.*STATUS/);
    expect(shown).toMatch(/^gateways /m);
  });

  test('the commands of docs/gitops.md create Secrets with the keys that the page names', async () => {
    const [password = '', scan = '', key = ''] = chooseTranscript('docs/gitops.md', 'ssh-keyscan');
    await shell('kubectl create namespace mcp --dry-run=client --output yaml | kubectl apply --filename -');
    const keysOf = async (command: string) => {
      await shell(command);
      const secret = JSON.parse(await shell('kubectl get secret gateways-git --namespace mcp --output json'));
      await shell('kubectl delete secret gateways-git --namespace mcp');
      return Object.keys(secret.data);
    };
    expect(await keysOf(password)).toEqual(['password', 'username']);
    expect(scan).toMatch(/^ssh-keyscan git\.example\.com > known_hosts /);
    expect(await keysOf(key)).toEqual(['identity', 'known_hosts']);
  });

  test('the commands of docs/source-not-ready.md show why a GatewaySource is not ready, and ask the controller to reconcile it now', async () => {
    const [list = '', why = '', ask = '', ...more] = chooseTranscript('docs/source-not-ready.md', 'requested-at');
    expect(more).toEqual([]);
    const conditions = [
      {
        type: 'Ready',
        status: 'False',
        reason: 'FetchFailed',
        message: 'the repository is away',
        lastTransitionTime: '2026-11-28T09:30:00Z',
      },
    ];
    const patch = JSON.stringify({ status: { conditions } });
    await shell(
      `kubectl patch gatewaysource gateways --namespace mcp --subresource=status --type=merge --patch '${patch}'`,
    );
    expect(await shell(list)).toMatch(/^mcp +gateways .*False/m);
    expect(await shell(why)).toBe('the repository is away');
    await shell(ask);
    const source = JSON.parse(await shell('kubectl get gatewaysource gateways --namespace mcp --output json'));
    expect(source.metadata.annotations['lintel.dev/requested-at']).toMatch(/\d\d:\d\d:\d\d/);
  });
});
