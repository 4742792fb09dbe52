/**
 * Each command in a shell block of the README, of `docs/` and of the pages that install Lintel is run by a test. `documented.test.ts` in
 * `test/e2e/cli` runs those of `npx lintel`; for the other programs, this list names the tests.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/process.ts';
import { by, findStaleReference, type RunBy } from '../support/run-by.ts';

const IDENTITY = by('test/examples/identity/identity.test.ts', 'TRANSCRIPT');
const KUBECTL = by('test/cluster/documented.test.ts', 'docs/gitops.md');
const UNREADY = by('test/cluster/documented.test.ts', 'docs/source-not-ready.md');
const UNINSTALL = by('test/cluster/upgrade.test.ts', 'chooseCommand(');
const DEBIAN = 'test/images/debian.test.ts';
const RUNTIME = by('test/images/runtime.test.ts', "['--bundle', '/mnt/out'");

/** The commands of each page that has some, and the tests that run them. `person`: an editor or a browser, which a test has no use for. */
const COMMANDS: { readonly [page: string]: { readonly [command: string]: RunBy | 'person' } } = {
  'README.md': {
    'npm ci && npm run quickstart': by('test/e2e/quickstart/until-interrupted.test.ts', "'quickstart.mjs'"),
    'npm ci && npm test': by('package.json', '"test": "'),
  },
  'controller/chart/README.md': {
    'npm run chart': by('test/cluster/chart.test.ts', 'chartFiles(ROOT)'),
    'helm install lintel release/chart/lintel-controller --namespace lintel-system --create-namespace --set images.registry=registry.example.com':
      by('test/cluster/chart.test.ts', "inCluster('install', 'lintel', chart, '--create-namespace'"),
  },
  'controller/install/README.md': {
    [`kubectl patch gatewaysource gateways --namespace mcp --type merge --patch '{"spec":{"prune":false}}'`]: UNINSTALL,
    'kubectl delete gatewaysources --all --all-namespaces': UNINSTALL,
    'kubectl get gatewaysources --all-namespaces': UNINSTALL,
    'kubectl delete --namespace lintel-system --filename controller/install/deployment.yaml --filename controller/install/network-policy.yaml --filename controller/install/rbac.yaml':
      UNINSTALL,
    'kubectl delete namespace lintel-system': UNINSTALL,
    'kubectl delete --kustomize schemas/generated/crd': UNINSTALL,
    [`kubectl patch gatewaysource gateways --namespace mcp --type merge --patch '{"metadata":{"finalizers":null}}'`]:
      UNINSTALL,
  },
  'docs/editors.md': { 'npm ci && npm run vsix': by('test/e2e/vscode/installed.ts', 'makeVsix') },
  'docs/gitops.md': {
    'kubectl apply -k .': KUBECTL,
    'cp -r lintel/controller/install/sample team': KUBECTL,
    'vi team/source.yaml': 'person',
    'kubectl apply -k team': KUBECTL,
    'kubectl get gatewaysources --namespace mcp --watch': KUBECTL,
    'kubectl --namespace lintel-system port-forward deployment/lintel-controller 8081': 'person',
    'open http://localhost:8081/': by('test/controller/dashboard/dashboard.test.ts', 'server.url'),
    'kubectl create secret generic gateways-git --namespace mcp --from-literal=username=git --from-file=password=token.txt':
      KUBECTL,
    'ssh-keyscan git.example.com > known_hosts': KUBECTL,
    'kubectl create secret generic gateways-git --namespace mcp --from-file=identity=id_ed25519 --from-file=known_hosts':
      KUBECTL,
    [`sed -i.bak 's/for the whole team/for everybody/' specs/quickstart.yaml && git commit --message "Say it better" specs/quickstart.yaml`]:
      by('test/e2e/standalone/documented.test.ts', 'git(folder, COMMIT)'),
  },
  // `buildah` builds the same Containerfiles, and runs the programs of the images with the same arguments.
  'docs/images.md': {
    'podman build -f runtime/Containerfile -t lintel-runtime:0.1.0 .': by(
      'test/images/runtime.test.ts',
      'makeImage(storage, RUNTIME',
    ),
    'podman build -f controller/Containerfile -t lintel-controller:0.1.0 .': by(
      DEBIAN,
      "unpacked('lintel-controller')",
    ),
    'podman build -f bridge/Containerfile -t lintel-bridge:0.1.0 .': by(DEBIAN, "unpacked('lintel-bridge')"),
    'podman build -f compiler/Containerfile -t lintel:0.1.0 .': by(DEBIAN, "unpacked('lintel')"),
    'mkdir -p bundles && npx lintel build specs --out bundles': RUNTIME,
    'podman run --rm --read-only --cap-drop=all --security-opt=no-new-privileges -p 127.0.0.1:4483:4483 -p 127.0.0.1:8081:8081 -v "$PWD/bundles:/bundles:ro" --env-file .env lintel-runtime:0.1.0 --bundle /bundles --host 0.0.0.0 --internal-address 0.0.0.0:8081':
      RUNTIME,
    'podman run --rm -v "$PWD:/work:ro" lintel:0.1.0 check specs': by(DEBIAN, "['check', '/mnt/specs']"),
    'podman run --rm --userns=keep-id --user "$(id -u):$(id -g)" -v "$PWD:/work" lintel:0.1.0 build specs --out bundles':
      by(DEBIAN, "['build', '/mnt/specs', '--out'"),
    'mkdir -p bundles state': by(DEBIAN, "'--standalone', '--repo'"),
    'podman run --rm --read-only --tmpfs /tmp --userns=keep-id --user "$(id -u):$(id -g)" -v "$PWD/bundles:/out" -v "$PWD/state:/state" lintel-controller:0.1.0 --standalone --repo https://git.example.com/team/specs.git --out /out --state-dir /state':
      by(DEBIAN, "'--standalone', '--repo'"),
  },
  'docs/install.md': {
    'npm ci && npm run package': by('test/e2e/package/installed.test.ts', 'pack(folder.path)'),
    'npm run executables': by('test/e2e/executables/lintel.test.ts', 'makeExecutables'),
    'npm run site': by('test/site/built.test.ts', 'build/site/main.ts'),
  },
  'docs/operate.md': { 'kubectl --namespace mcp port-forward deployment/team 8081': 'person' },
  'docs/policies.md': {
    'node examples/identity/services.mjs': by('test/examples/identity/identity.test.ts', "'services.mjs'"),
    "export LINTEL_HEADER_INJECTION_VALUE_LETTERS_KEY='the key of the gateway'": IDENTITY,
    "export LINTEL_TOKEN_EXCHANGE_CLIENT_SECRET_LEDGER_TOKEN='the secret of the gateway'": IDENTITY,
    'curl -si -X POST http://127.0.0.1:4483/mcp': IDENTITY,
    'node examples/identity/call.mjs ann': IDENTITY,
    'node examples/identity/call.mjs ben': IDENTITY,
    'node examples/identity/call.mjs ann letters_read': IDENTITY,
    [`node examples/identity/call.mjs ann ledger_pay '{"amount": 900}'`]: IDENTITY,
    [`node examples/identity/call.mjs ann ledger_pay '{"amount": 5000}'`]: IDENTITY,
  },
  'docs/registry.md': {
    "curl -s 'http://127.0.0.1:8080/registry/team/v0.1/servers?search=climate'": by(
      'test/e2e/registry/example.test.ts',
      'docs/registry.md',
    ),
  },
  'docs/release.md': { 'npm run release': by('test/release/released.ts', 'build/release/main.ts') },
  'docs/sign-in.md': {
    'node examples/sign-in/serve.mjs': by('test/examples/sign-in/sign-in.test.ts', "'serve.mjs'"),
    'node examples/sign-in/client.mjs': by('test/examples/sign-in/sign-in.test.ts', "'client.mjs'"),
  },
  'docs/source-not-ready.md': {
    'kubectl get gatewaysources --all-namespaces': UNREADY,
    [`kubectl get gatewaysource gateways --namespace mcp --output jsonpath='{.status.conditions[?(@.type=="Ready")].message}'`]:
      UNREADY,
    'kubectl annotate gatewaysource gateways --namespace mcp --overwrite lintel.dev/requested-at="$(date)"': UNREADY,
  },
  'docs/typescript.md': {
    'npm install --save-dev ./lintel-0.1.0.tgz cdk8s constructs esbuild typescript': by(
      'test/e2e/export/installed.test.ts',
      './lintel-*.tgz',
    ),
  },
};

/** As a person pastes them: without the prompt, the comment and the breaks of a long line. */
function commandsOf(text: string): readonly string[] {
  const blocks = [...text.matchAll(/^ *```(sh|console)\n(.*?)^ *```/gms)];
  const lines = blocks.flatMap(([, language, body = '']) =>
    body
      .replaceAll(/\\\n\s*/g, '')
      .split('\n')
      .map(line => line.trim())
      .flatMap(line => (language === 'sh' ? [line] : line.startsWith('$ ') ? [line.slice(2)] : [])),
  );
  const commands = lines.map(line => line.replace(/\s+# .*$/, '').trim());
  return [...new Set(commands.filter(command => command !== '' && !/^npx lintel\b/.test(command)))];
}

const PAGES = [
  'README.md',
  'controller/chart/README.md',
  'controller/install/README.md',
  ...globSync('docs/**/*.md', { cwd: ROOT }),
];

test('the list COMMANDS has every command in the shell blocks of the README, of docs/ and of the pages that install Lintel', () => {
  const written = Object.fromEntries(
    PAGES.toSorted()
      .map(page => [page, commandsOf(readFileSync(join(ROOT, page), 'utf8'))] as const)
      .filter(([, commands]) => commands.length > 0),
  );
  expect(written).toEqual(
    Object.fromEntries(Object.entries(COMMANDS).map(([page, commands]) => [page, Object.keys(commands)])),
  );
});

test('the test that the list COMMANDS names for a command contains the command', () => {
  const references = Object.values(COMMANDS).flatMap(commands =>
    Object.values(commands).filter(outcome => outcome !== 'person'),
  );
  expect(references.flatMap(reference => findStaleReference(reference) ?? [])).toEqual([]);
});
