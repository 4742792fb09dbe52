/** 500 random commits against a model: the controller always serves the last good revision. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FolderWorld, Killed } from '../../support/folder-world.ts';
import { brokenGatewayFile, gatewayFile } from '../../support/gateway-specs.ts';
import { temporaryFolder } from '../../support/process.ts';

const COMMITS = 500;
const SEED = 20_261_101;

/** A gateway: its file, its version, and whether it has an error. */
interface Gateway {
  readonly file: string;
  readonly version: number;
  readonly isBroken: boolean;
}

type Repository = ReadonlyMap<string, Gateway>;

const NAMES = ['a', 'b', 'c', 'd', 'e'];
const FILES = ['one.yaml', 'two.yaml', 'three.yaml'];

interface Step {
  readonly change: 'set' | 'break' | 'delete' | 'rename' | 'move' | 'clear' | 'revert';
  readonly name: string;
  readonly other: string;
  readonly file: string;
  readonly version: number;
  readonly back: number;
  /** Steps until the controller is killed; none for an undisturbed run. */
  readonly lives: number | null;
}

const step: fc.Arbitrary<Step> = fc.record({
  change: fc.oneof(
    { weight: 8, arbitrary: fc.constant('set' as const) },
    { weight: 2, arbitrary: fc.constantFrom('break' as const, 'delete', 'rename', 'move', 'revert') },
    { weight: 1, arbitrary: fc.constantFrom('clear' as const, 'delete') },
  ),
  name: fc.constantFrom(...NAMES),
  other: fc.constantFrom(...NAMES),
  file: fc.constantFrom(...FILES),
  version: fc.integer({ min: 1, max: 4 }),
  back: fc.integer({ min: 1, max: 10 }),
  lives: fc.option(fc.integer({ min: 0, max: 20 }), { freq: 3 }),
});

function changed(history: readonly Repository[], { change, name, other, file, version, back }: Step): Repository {
  const now = new Map(history.at(-1));
  const gateway = now.get(name);
  switch (change) {
    case 'revert':
      return history.at(-1 - back) ?? now;
    case 'clear':
      return new Map();
    case 'set':
      return now.set(name, { file: gateway?.file ?? file, version, isBroken: false });
  }
  if (gateway === undefined) return now;
  if (change === 'delete' || change === 'rename') now.delete(name);
  if (change === 'rename') now.set(other, gateway);
  if (change === 'move') now.set(name, { ...gateway, file });
  if (change === 'break') now.set(name, { ...gateway, isBroken: true });
  return now;
}

function filesOf(repository: Repository): { readonly [file: string]: string } {
  const files: { [file: string]: string } = { 'README.md': 'specs' };
  for (const [name, { file, version, isBroken }] of repository) {
    const write = isBroken ? brokenGatewayFile : gatewayFile;
    const text = write(name, { url: `https://v${version}.example.com/mcp` });
    files[file] = files[file] === undefined ? text : `${files[file]}---\n${text}`;
  }
  return files;
}

/** What is served after a commit: an error changes nothing, and a repository without gateways deletes nothing. */
function servedAfter(before: ReadonlyMap<string, number>, repository: Repository): ReadonlyMap<string, number> {
  if (repository.size === 0 || [...repository.values()].some(({ isBroken }) => isBroken)) return before;
  return new Map([...repository].map(([name, { version }]) => [name, version]));
}

test(`the gateways are those of the last good commit after each of ${COMMITS} random commits, though the controller is killed in between`, async () => {
  await using folder = await temporaryFolder();
  const world = new FolderWorld(folder.path);
  const [steps = []] = fc.sample(fc.array(step, { minLength: COMMITS, maxLength: COMMITS, size: 'max' }), {
    seed: SEED,
    numRuns: 1,
  });
  const history: Repository[] = [new Map()];
  let served: ReadonlyMap<string, number> = new Map();
  // Each version of a gateway has one digest, and no two versions have the same.
  const digests = new Map<string, string>();
  const seen = { good: 0, bad: 0, empty: 0, killed: 0 };
  for (const [index, one] of steps.entries()) {
    const repository = changed(history, one);
    history.push(repository);
    await world.commit(filesOf(repository));
    world.nowMs += 1_000;
    if (one.lives !== null) {
      const isKilled = await world.reconcile(one.lives).then(
        () => false,
        error => error instanceof Killed,
      );
      if (isKilled) {
        seen.killed += 1;
        world.restart();
      }
    }
    await world.reconcile();
    served = servedAfter(served, repository);
    const isBad = [...repository.values()].some(({ isBroken }) => isBroken);
    seen[isBad ? 'bad' : repository.size === 0 ? 'empty' : 'good'] += 1;
    const now = await world.served();
    expect(Object.keys(now).sort(), `commit ${index}: ${one.change}`).toEqual([...served.keys()].sort());
    for (const [name, version] of served) {
      const known = digests.get(`${name} ${version}`) ?? now[name] ?? '';
      digests.set(`${name} ${version}`, known);
      expect(now[name], `commit ${index}: ${one.change}, ${name}`).toBe(known);
    }
    const { ready } = await world.status();
    const isBlocked = repository.size === 0 && served.size > 0;
    expect(ready, `commit ${index}`).toBe(!isBad && !isBlocked);
    expect(world.invariants.violations, `commit ${index}`).toEqual([]);
  }
  expect(new Set(digests.values()).size).toBe(digests.size);
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20);
});
