/** Programs, and the places from which their values come. */
import { expect } from 'vitest';
import type { Peer } from '../../../support/peers.ts';
import { type Files, formatStart, locatePart, runFiles } from './programs.ts';

export interface Row {
  readonly name: string;
  readonly files: Files;
  /** Packages that the program imports and `npm ci` does not install. */
  readonly needs?: readonly Peer[];
  /** By construct path and pointer (with `?` at the end for its key): the place, and the text that is marked. */
  readonly places: Readonly<Record<string, string>>;
}

/** Constructs that take any object, so that a program contains only what its test is about. */
const START = `import { App, ApiObject, Chart } from 'cdk8s';
const app = new App();
const chart = new Chart(app, 'Eng');
`;
const THING = `apiVersion: 'v1', kind: 'Thing', metadata: { name: 'x' }`;

export const ROWS: readonly Row[] = [
  {
    name: 'patches',
    files: {
      'app.ts': `import { JsonPatch } from 'cdk8s';
import { Patched } from './vendor/node_modules/patched/index.js';
${START}const thing = new ApiObject(chart, 'thing', { ${THING}, spec: { old: 1, list: [] } });
const late = { deep: [1, { a: 2 }] };
thing.addJsonPatch(
  JsonPatch.add('/spec/late', late),
  JsonPatch.replace('/spec/old', 2),
  JsonPatch.remove('/spec/list'),
);
const patch = JsonPatch.add('/metadata/labels', { team: 'eng' });
thing.addJsonPatch(patch);
const patched = new Patched(chart, 'patched', { kind: 'Thing' });
patched.set('/spec', { replicas: 3 });
app.synth();
`,
      'vendor/node_modules/patched/index.js': `import { ApiObject, JsonPatch } from 'cdk8s';
const ORIGINS = Symbol.for('lintel.dev/origins');
export class Patched extends ApiObject {
  constructor(scope, id, props) { super(scope, id, { apiVersion: 'v1', ...props }); }
  set(pointer, value) {
    this.addJsonPatch(JsonPatch.add(pointer, value));
    this[ORIGINS] = [{ pointer, callSite: { stack: new Error().stack, argument: [1] } }];
  }
}
`,
    },
    places: {
      'Eng/thing /spec/late/deep/1/a': 'app.ts:7:31 2',
      'Eng/thing /spec/late': 'app.ts:7:14 { deep: [1, { a: 2 }] }',
      'Eng/thing /spec/old': 'app.ts:10:34 2',
      'Eng/thing /spec/list': "app.ts:11:3 JsonPatch.remove('/spec/list')",
      'Eng/thing /metadata/labels/team': "app.ts:13:57 'eng'",
      'Eng/thing /metadata/labels/team?': 'app.ts:13:51 team',
      'Eng/patched /spec/replicas': 'app.ts:16:34 3',
    },
  },
  {
    name: 'literals',
    files: {
      'app.ts': `${START}new ApiObject(chart, 'thing', {
  ${THING},
  spec: { list: [1, { 'deep-key': 'y' }], text: \`template\`, cast: { a: 1 } as const, checked: ({ b: 2 } satisfies object) },
});
app.synth();
`,
    },
    places: {
      'Eng/thing': 'app.ts:4:1 new ApiObject',
      'Eng/thing /kind': "app.ts:5:27 'Thing'",
      'Eng/thing /metadata/name': "app.ts:5:54 'x'",
      'Eng/thing /spec?': 'app.ts:6:3 spec',
      'Eng/thing /spec/list/0': 'app.ts:6:18 1',
      'Eng/thing /spec/list/1/deep-key': "app.ts:6:35 'y'",
      'Eng/thing /spec/list/1/deep-key?': "app.ts:6:23 'deep-key'",
      'Eng/thing /spec/list/1/other': "app.ts:6:21 { 'deep-key': 'y' }",
      'Eng/thing /spec/text': 'app.ts:6:49 `template`',
      'Eng/thing /spec/cast/a': 'app.ts:6:72 1',
      'Eng/thing /spec/checked/b': 'app.ts:6:101 2',
      'Eng/thing /spec/missing': 'app.ts:6:3 spec',
      'Eng/thing /status': 'app.ts:4:1 new ApiObject',
    },
  },
  {
    name: 'constants, shorthands and destructuring',
    files: {
      'app.ts': `${START}const image = 'a:latest';
const settings = Object.freeze({ replicas: 3, deep: { list: [{ a: 1 }, { a: 2 }] } });
const { deep, ...others } = settings;
const [, second] = deep.list;
const spec = { image, replicas: settings.replicas, first: deep.list[0], second, rest: others.replicas };
let changed = 1;
changed += 1;
new ApiObject(chart, 'thing', { ${THING}, spec: { ...spec, changed } });
app.synth();
`,
    },
    places: {
      'Eng/thing /spec/image': "app.ts:4:15 'a:latest'",
      'Eng/thing /spec/image?': 'app.ts:8:16 image',
      'Eng/thing /spec/replicas': 'app.ts:5:44 3',
      'Eng/thing /spec/first/a': 'app.ts:5:67 1',
      'Eng/thing /spec/second/a': 'app.ts:5:77 2',
      'Eng/thing /spec/rest': 'app.ts:5:44 3',
      'Eng/thing /spec/changed': 'app.ts:11:108 changed',
    },
  },
  {
    name: 'spread overlays',
    files: {
      'app.ts': `${START}const base = { replicas: 1, image: 'base', deep: { a: 1 } };
const overlay = { replicas: 2 };
const production = process.argv.length > 0;
new ApiObject(chart, 'thing', {
  ${THING},
  spec: { ...base, ...overlay, ...(production ? { deep: { a: 2 } } : {}), ...(production && { extra: 5 }), both: production ? 1 : 2 },
  list: [0, ...[1, 2], 3],
});
app.synth();
`,
    },
    places: {
      'Eng/thing /spec/replicas': 'app.ts:5:29 2',
      'Eng/thing /spec/image': "app.ts:4:36 'base'",
      'Eng/thing /spec/deep/a': 'app.ts:9:62 2',
      'Eng/thing /spec/extra': 'app.ts:9:102 5',
      'Eng/thing /spec/both': 'app.ts:9:114 production ? 1 : 2',
      'Eng/thing /list/2': 'app.ts:10:20 2',
      'Eng/thing /list/3': 'app.ts:10:24 3',
    },
  },
  {
    name: 'shared constructs in other files',
    files: {
      'app.ts': `import { App, Chart } from 'cdk8s';
import { Team } from './shared/team-gateway.ts';
import * as defaults from './shared/defaults.ts';
const app = new App();
const chart = new Chart(app, 'Eng');
new Team(chart, 'eng', { name: 'eng', spec: { image: 'a' }, ...defaults.production });
new Team(chart, 'ops', { name: 'ops', spec: { image: 'b' }, limits: { cpu: 2 } });
app.synth();
`,
      'shared/defaults.ts': `const limits = { cpu: 1 };
export const production = { limits };
`,
      'shared/team-gateway.ts': `import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
export interface TeamProps { name: string; spec: object; limits: { cpu: number }; replicas?: number }
class Base extends Construct {
  constructor(scope: Construct, id: string, { name, spec, limits, replicas = 7 }: TeamProps) {
    super(scope, id);
    new ApiObject(this, 'object', {
      apiVersion: 'v1', kind: 'Thing', metadata: { name },
      spec: { ...spec, cpu: limits.cpu, replicas, fixed: 'here' },
    });
  }
}
export class Team extends Base {}
`,
    },
    places: {
      'Eng/eng/object': 'shared/team-gateway.ts:7:5 new ApiObject',
      'Eng/eng/object /metadata/name': "app.ts:6:32 'eng'",
      'Eng/eng/object /metadata/name?': 'shared/team-gateway.ts:8:52 name',
      'Eng/eng/object /spec/image': "app.ts:6:54 'a'",
      'Eng/eng/object /spec/cpu': 'shared/defaults.ts:1:23 1',
      'Eng/eng/object /spec/replicas': 'shared/team-gateway.ts:5:78 7',
      'Eng/eng/object /spec/fixed': "shared/team-gateway.ts:9:58 'here'",
      'Eng/ops/object /spec/image': "app.ts:7:54 'b'",
      'Eng/ops/object /spec/cpu': 'app.ts:7:76 2',
      'Eng/ops/object /metadata/name': "app.ts:7:32 'ops'",
    },
  },
  {
    name: 'loops',
    files: {
      'app.ts': `${START}const teams = [
  { id: 'a', image: 'one', plain: { x: 1 } },
  { id: 'b', image: 'two', plain: { x: 1 } },
];
for (const { id, image, plain } of teams) new ApiObject(chart, id, { ${THING}, spec: { image, plain } });
teams.forEach((team, index) => new ApiObject(chart, \`\${team.id}2\`, { ${THING}, spec: { image: team.image, index } }));
app.synth();
`,
    },
    places: {
      'Eng/a /spec/image': "app.ts:5:21 'one'",
      'Eng/b /spec/image': "app.ts:6:21 'two'",
      'Eng/a /spec/plain/x': 'app.ts:8:143 plain',
      'Eng/a2 /spec/image': "app.ts:5:21 'one'",
      'Eng/b2 /spec/image': "app.ts:6:21 'two'",
      'Eng/b2 /spec/index': 'app.ts:9:155 index',
    },
  },
  {
    name: 'helper functions',
    files: {
      'app.ts': `${START}import { thing } from './helpers.ts';
const specOf = (image: string, extra: object = { d: 4 }) => ({ image, nested: { tag: \`\${image}-x\` }, ...extra });
function twice(value: object) {
  const copy = value;
  return { a: copy, b: value };
}
thing(chart, 'made', { spec: { n: 1 } });
new ApiObject(chart, 'thing', { ${THING}, spec: specOf('i'), two: twice({ c: 3 }) });
app.synth();
`,
      'helpers.ts': `import { ApiObject, type Chart } from 'cdk8s';
export default function unused() { return 1; }
export const thing = (chart: Chart, id: string, given: { spec: object }) =>
  new ApiObject(chart, id, { apiVersion: 'v1', kind: 'Thing', metadata: { name: id }, ...given });
`,
    },
    places: {
      'Eng/made /spec/n': 'app.ts:10:35 1',
      'Eng/made /metadata/name': "app.ts:10:14 'made'",
      'Eng/made /kind': "helpers.ts:4:54 'Thing'",
      'Eng/thing /spec/image': "app.ts:11:104 'i'",
      'Eng/thing /spec/nested/tag': 'app.ts:5:86 `$' + '{image}-x`',
      'Eng/thing /spec/d': 'app.ts:5:53 4',
      'Eng/thing /two/b/c': 'app.ts:11:126 3',
      'Eng/thing /two/a/c': 'app.ts:11:126 3',
    },
  },
  {
    name: 'CommonJS and JSON',
    files: {
      'app.cjs': `const { App, ApiObject, Chart } = require('cdk8s');
const { image, make } = require('./shared.cjs');
const settings = require('./settings.json');
const app = new App();
const chart = new Chart(app, 'Eng');
make(chart, 'thing', { image, replicas: settings.replicas });
app.synth();
`,
      'shared.cjs': `const { ApiObject } = require('cdk8s');
exports.image = 'a';
exports.make = function make(chart, id, spec) {
  return new ApiObject(chart, id, { ${THING}, spec });
};
`,
      'settings.json': `{
  "replicas": 9
}
`,
    },
    places: {
      'Eng/thing /spec/image': "shared.cjs:2:17 'a'",
      'Eng/thing /spec/replicas': 'settings.json:2:15 9',
      'Eng/thing /metadata/name': "shared.cjs:4:88 'x'",
    },
  },
  {
    name: 'paths of tsconfig.json',
    files: {
      'app.ts': `${START}import { limits } from '@shared/limits';
new ApiObject(chart, 'thing', { ${THING}, spec: limits });
app.synth();
`,
      'lib/limits.ts': `export { cpu as default, limits } from './inner.ts';
`,
      'lib/inner.ts': `export const cpu = 1;
const limits = { cpu: 2 };
export { limits };
`,
      'tsconfig.json': `{ "compilerOptions": { "paths": { "@shared/*": ["./lib/*"] } } }`,
    },
    places: {
      'Eng/thing /spec/cpu': 'lib/inner.ts:2:23 2',
    },
  },
  {
    name: 'CRLF, tabs and emoji',
    files: {
      'app.ts': `${START}new ApiObject(chart, 'thing', {
\t${THING}, /* 😀 */ spec: {
\t\t'😀': 1,
\t\ttext: '😀', after: 2,
\t},
});
app.synth();
`.replaceAll('\n', '\r\n'),
    },
    places: {
      'Eng/thing /spec/😀': 'app.ts:6:8 1',
      'Eng/thing /spec/😀?': "app.ts:6:3 '😀'",
      'Eng/thing /spec/text': "app.ts:7:9 '😀'",
      'Eng/thing /spec/after': 'app.ts:7:21 2',
      'Eng/thing /spec?': 'app.ts:5:68 spec',
    },
  },
  {
    name: 'names that are the id',
    files: {
      'app.ts': `${START}const id = 'Bad_Name';
new ApiObject(chart, id, { apiVersion: 'v1', kind: 'Thing' });
new ApiObject(chart, 'chained', { apiVersion: 'v1', kind: 'Thing' })
  .metadata.addLabel('a', 'b');
app.synth();
`,
    },
    places: {
      'Eng/Bad_Name /metadata/name': "app.ts:4:12 'Bad_Name'",
      'Eng/chained /metadata/name': "app.ts:6:22 'chained'",
      'Eng/chained': 'app.ts:6:1 new ApiObject',
    },
  },
  {
    name: 'generated by cdk8s import',
    files: {
      'app.ts': `import { App, Chart } from 'cdk8s';
import { KubeThing } from './imports/k8s.ts';
const app = new App();
const chart = new Chart(app, 'Eng');
new KubeThing(chart, 'thing', { spec: { replicas: 1 } });
app.synth();
`,
      'imports/k8s.ts': `// generated by cdk8s
import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
export class KubeThing extends ApiObject {
  constructor(scope: Construct, id: string, props: object) {
    super(scope, id, { apiVersion: 'v1', kind: 'Thing', ...props });
  }
}
`,
    },
    places: {
      'Eng/thing /spec/replicas': 'app.ts:5:51 1',
      'Eng/thing /kind': 'app.ts:5:1 new KubeThing',
      'Eng/thing /spec/more': 'app.ts:5:33 spec',
    },
  },
  {
    name: 'cdk8s-plus and Include',
    needs: ['cdk8s-plus-33'],
    files: {
      'app.ts': `import { App, Chart, Include } from 'cdk8s';
import { ConfigMap } from 'cdk8s-plus-33';
const app = new App();
const chart = new Chart(app, 'Eng');
new ConfigMap(chart, 'config', { metadata: { name: 'c' }, data: { a: '1' } });
const included = new Include(chart, 'files', { url: 'more.yaml' });
app.synth();
`,
      'more.yaml': `apiVersion: v1
kind: ConfigMap
metadata: { name: more }
`,
    },
    places: {
      'Eng/config/Resource /data/a': "app.ts:5:70 '1'",
      'Eng/config/Resource /metadata/name': "app.ts:5:52 'c'",
      'Eng/config/Resource /immutable': 'app.ts:5:1 new ConfigMap',
      'Eng/files/more-configmap /metadata/name': 'app.ts:6:18 new Include',
    },
  },
];

/** @param typescript folder of the TypeScript package for the program; Lintel's when not given */
export async function expectPlaces({ files, places }: Row, typescript?: string): Promise<void> {
  const program = await runFiles(files, typescript);
  const found = Object.keys(places).map(about => {
    const [constructPath = '', pointer = ''] = about.split(' ');
    const place = locatePart(program, constructPath, pointer);
    const marked = files[place.file]?.slice(place.range.start.offset, place.range.end.offset);
    expect(place).toMatchObject({
      constructPath,
      related: [{ file: 'app.ts!Eng.yaml'.replace('app.ts', Object.keys(files)[0] ?? '') }],
    });
    return [about, `${formatStart(place)} ${marked}`];
  });
  expect(Object.fromEntries(found)).toEqual(places);
}
