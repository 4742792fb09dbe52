/** Programs with type errors, and their findings. */
import type { Files } from '../../support/program-world.ts';

export const APP = `import { App, Chart } from 'cdk8s';\nexport default new Chart(new App(), 'a');\n`;

const STRICT = '{ "compilerOptions": { "strict": true, "module": "nodenext", "target": "es2022", "types": [] } }';

export const TYPE_ERRORS: readonly [name: string, files: Files, expected: readonly string[]][] = [
  [
    'without a tsconfig.json',
    { 'app.ts': `${APP}const n: number = 'one';\nawait n;\nexport const file = import.meta.url;\n` },
    ["LNT1072 error app.ts:3:7 Type 'string' is not assignable to type 'number' (TS2322)"],
  ],
  [
    'with a strict tsconfig.json',
    { 'tsconfig.json': STRICT, 'app.ts': `${APP}export function f(x) { return x; }\n` },
    ["LNT1072 error app.ts:3:19 Parameter 'x' implicitly has an 'any' type (TS7006)"],
  ],
  [
    'with a tsconfig.json that is not strict',
    {
      'tsconfig.json':
        '{ "compilerOptions": { "strict": false, "module": "nodenext", "target": "es2022", "types": [] } }',
      'app.ts': `${APP}export function f(x) { return x; }\n`,
    },
    [],
  ],
  [
    'in an imported file, with a declaration file of the project',
    {
      'tsconfig.json': STRICT,
      'global.d.ts': 'declare const TEAM: string | undefined;\n',
      'unrelated.ts': `export const n: number = 'not looked at';\n`,
      'app.ts': `import './lib.js';\n${APP}export const team = typeof TEAM;\n`,
      'lib.ts': `export const a = 1;\na.nothing;\n`,
    },
    ["LNT1072 error lib.ts:2:3 Property 'nothing' does not exist on type '1' (TS2339)"],
  ],
  [
    'with an unknown compiler option in its tsconfig.json',
    { 'tsconfig.json': '{ "compilerOptions": { "lintelTest": true, "types": [] } }', 'app.ts': APP },
    ["LNT1072 error tsconfig.json:1:24 Unknown compiler option 'lintelTest' (TS5023)"],
  ],
  [
    'with a tsconfig.json that only refers to other projects',
    {
      'tsconfig.json': '{ "files": [], "references": [{ "path": "./other" }, { "path": "./tsconfig.app.json" }] }',
      'other/tsconfig.json': '{ "compilerOptions": { "composite": true } }',
      'tsconfig.app.json': `{
  // Of the programs: "include".
  "include": ["*.ts", "src"], /* and what they share */
  "compilerOptions": { "composite": true, "strict": true, "target": "es2022", "module": "esnext", "moduleResolution": "bundler", "types": [], "paths": { "@x/*": ["./src/*"], }, },
}
`,
      'src/lib.ts': `export const team = 'eng';\n`,
      'app.ts': `${APP}import { team } from '@x/lib';\nexport const n: number = team;\n`,
    },
    ["LNT1072 error app.ts:4:14 Type 'string' is not assignable to type 'number' (TS2322)"],
  ],
];

const CHART = `import { App, Chart } from 'cdk8s';\nexport default new Chart(new App(), 'a');\n`;
const COMMON = `const { App, Chart } = require('cdk8s');\nmodule.exports = new Chart(new App(), 'a');\n`;

/** Programs in JavaScript, whose types are checked only on request. */
export const JAVASCRIPT: readonly [entry: string, files: Files, expected: readonly string[]][] = [
  ['app.js', { 'app.js': `${CHART}const n = 1;\nn.nothing;\n` }, []],
  ['app.mjs', { 'app.mjs': CHART, 'tsconfig.json': STRICT }, []],
  ['app.cjs', { 'app.cjs': COMMON }, []],
  ['app.jsx', { 'app.jsx': CHART, 'tsconfig.json': STRICT }, []],
  [
    'app.js',
    { 'app.js': `// @ts-check\n${CHART}const n = 1;\nn.nothing;\n` },
    ["LNT1072 error app.js:5:3 Property 'nothing' does not exist on type '1' (TS2339)"],
  ],
  [
    'app.js',
    {
      'app.js': `${CHART}const n = 1;\nn.nothing;\n`,
      'tsconfig.json': STRICT.replace('"strict"', '"allowJs": true, "checkJs": true, "strict"'),
    },
    ["LNT1072 error app.js:4:3 Property 'nothing' does not exist on type '1' (TS2339)"],
  ],
];
