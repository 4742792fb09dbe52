/** Which room may import which others: `build/rooms.json`. Across rooms only the other room's index is imported, and nothing imports test. */
const MAY_IMPORT = require('./build/rooms.json');
const ROOMS = [...Object.keys(MAY_IMPORT), 'test'];

const forbiddenRooms = Object.entries(MAY_IMPORT).map(([room, allowed]) => ({
  name: `${room}-imports`,
  comment: `${room}/ may import ${allowed.length > 0 ? allowed.join(' and ') : 'no other room'}`,
  severity: 'error',
  from: { path: `^${room}/` },
  to: { path: ROOMS.filter(other => other !== room && !allowed.includes(other)).map(other => `^${other}/`) },
}));

const SHARED = Object.keys(MAY_IMPORT).filter(room => room.startsWith('shared/'));

const onlyThroughIndex = ['schemas', ...SHARED, 'compiler', 'runtime'].map(room => ({
  name: `${room}-through-index`,
  comment: `other rooms see ${room}/index.ts only`,
  severity: 'error',
  from: {
    path: `^(${Object.keys(MAY_IMPORT).join('|')})/`,
    pathNot: `^${room}/`,
  },
  to: { path: `^${room}/`, pathNot: `^${room}/index\\.ts$` },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...forbiddenRooms,
    ...onlyThroughIndex,
    {
      name: 'runtime-stays-lean',
      comment:
        'the runtime and the bridge parse no YAML, load no schema library, compiler tool, MCP SDK or cluster client',
      severity: 'error',
      from: { path: '^(shared|runtime|bridge)/' },
      to: {
        path: 'node_modules/(yaml|typebox|ajv|cdk8s|constructs|esbuild|commander|vscode-[a-z-]*|@kubernetes|@modelcontextprotocol)/',
      },
    },
    {
      name: 'typebox-only-generates',
      comment: 'TypeBox is slow to load: only the definitions and their generator see it',
      severity: 'error',
      from: {
        path: '^(schemas|shared|compiler|runtime|bridge|controller)/',
        pathNot: '^schemas/(kinds|files|registry-config|generate)/',
      },
      to: { path: 'node_modules/typebox/' },
    },
    {
      name: 'commands-run-programs',
      comment: 'only the commands of a user run programs; the controller and its compiler process never do',
      severity: 'error',
      from: {
        path: '^(schemas|shared|compiler|runtime|bridge|controller)/',
        pathNot: '^compiler/(program/|export/|commands/(run-programs|export)\\.ts$)',
      },
      to: { path: '^compiler/program/' },
    },
    {
      name: 'schemas-are-pure',
      comment: 'no files, network or clock in schemas/, its generator apart, nor in shared/plan/ and shared/search/',
      severity: 'error',
      from: { path: '^(schemas|shared/(plan|search))/', pathNot: '^schemas/generate/' },
      to: { path: '^(node:)?(fs|net|http|https|child_process|dns|worker_threads)' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    // Examples name the package itself, as their readers do: it is there once it is built and installed.
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true, pathNot: '^lintel/' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: 'specify',
    enhancedResolveOptions: {
      conditionNames: ['lintel-source', 'import', 'node', 'default'],
      exportsFields: ['exports'],
    },
  },
};
