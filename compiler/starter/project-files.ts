/** The initial files of a repository besides its specs. */

/** The folder of the specs. */
export const SPECS: 'specs' = 'specs';

export const GATEWAY_FILE: string = `${SPECS}/gateway.yaml`;

/** Variables with the secrets of this machine. */
export const ENV = '.env';

/** Names of the variables for secrets, without their values. */
export const ENV_EXAMPLE = '.env.example';

/** @param sources the folder of the specs */
export function formatProject(sources: string): string {
  return `# What \`lintel check\` reads when no path is given, and what counts; \`lintel explain lintel.yaml\` lists the rest.
sources: [${/^[\w./-]+$/.test(sources) ? sources : JSON.stringify(sources)}]
`;
}

/** Backups of client files from before `lintel connect --write`, which may contain secrets. */
const BACKUPS = '*mcp.json.backup*';

/** The secrets of a gateway on this machine, and build output. */
export const IGNORED: readonly string[] = [ENV, BACKUPS, '.schemas/', 'node_modules/', 'out/'];

export const IGNORE_TEXT: string = `${IGNORED.join('\n')}\n`;

/** The lines of {@link IGNORED} that are missing in a `.gitignore`. */
export function listNotIgnored(text: string): readonly string[] {
  const lines = text.split('\n').map(line => line.trim().replace(/^\//, '').replace(/\/$/, ''));
  return IGNORED.filter(pattern => !lines.includes(pattern.replace(/\/$/, '')));
}
