/** The script that builds, from the entry of a server, the configuration that an MCP client needs. The page shows it as text to copy. */
export const SNIPPET_SCRIPT = `
const RUNNERS = {
  npm: { command: 'npx', before: ['-y'], join: '@' },
  pypi: { command: 'uvx', before: [], join: '@' },
  oci: { command: 'docker', before: ['run', '-i', '--rm'], join: ':' },
  nuget: { command: 'dnx', before: ['--yes'], join: '@' },
};

/** A placeholder for a value that the person fills in. */
const toFillIn = ({ name, valueHint }) => '<' + (name ?? valueHint ?? 'value') + '>';

const valueOf = input => input.value ?? input.default ?? (input.isRequired || input.isSecret ? toFillIn(input) : undefined);

function namedValues(inputs) {
  const known = (inputs ?? []).map(input => [input.name, valueOf(input)]).filter(([, value]) => value !== undefined);
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

function argumentsOf(inputs) {
  return (inputs ?? []).flatMap(input => {
    const value = valueOf(input);
    if (input.type === 'named') return value === undefined ? (input.isRequired ? [input.name] : []) : [input.name, value];
    return value === undefined ? [] : [value];
  });
}

function remoteEntry({ type, url, headers }) {
  return { type: type === 'sse' ? 'sse' : 'http', url, headers: namedValues(headers) };
}

/** The configuration for a package; undefined for a package type that none of RUNNERS starts. */
function packageEntry({ registryType, identifier, version, transport, runtimeArguments, packageArguments, environmentVariables }) {
  if (transport.type !== 'stdio') return remoteEntry(transport);
  if (!Object.hasOwn(RUNNERS, registryType)) return undefined;
  const { command, before, join } = RUNNERS[registryType];
  const given = argumentsOf(runtimeArguments);
  const env = namedValues(environmentVariables);
  const passed = registryType === 'oci' ? Object.keys(env ?? {}).flatMap(name => ['-e', name]) : [];
  const name = version === undefined ? identifier : identifier + join + version;
  const args = [...before.filter(one => !given.includes(one)), ...given, ...passed, name, ...argumentsOf(packageArguments)];
  return { command, args, env };
}

function snippetOf(name, entry) {
  return JSON.stringify({ mcpServers: { [name.slice(name.indexOf('/') + 1)]: entry } }, undefined, 2);
}
`;
