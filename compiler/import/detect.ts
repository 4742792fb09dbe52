/** Which program a file is of, by what is in it. */
import { UsageError } from '../usage-error.ts';
import { isAgentGateway, readAgentGateway } from './forms/agentgateway.ts';
import { isCodex, readCodex } from './forms/codex.ts';
import { isDockerCatalog, readDockerCatalog } from './forms/docker-catalog.ts';
import { isMcpJson, readMcpJson } from './forms/mcp-json.ts';
import { isToolHive, readToolHive } from './forms/toolhive.ts';
import type { Found } from './found.ts';
import { readValues } from './read-file.ts';

interface Form {
  fits(value: unknown): boolean;
  read(value: unknown): Found;
}

/** The first that fits counts. */
const FORMS: readonly Form[] = [
  { fits: isCodex, read: readCodex },
  { fits: isToolHive, read: readToolHive },
  { fits: isAgentGateway, read: readAgentGateway },
  { fits: isDockerCatalog, read: readDockerCatalog },
  { fits: isMcpJson, read: readMcpJson },
];

/** @throws UsageError for a file that cannot be read, or of a program that is not known */
export function readFound(file: string): readonly Found[] {
  const values = readValues(file).filter(value => value !== undefined && value !== null);
  const found = values.map(value => FORMS.find(form => form.fits(value))?.read(value));
  const known = found.filter(one => one !== undefined);
  if (known.length === 0 || known.length < found.length)
    throw new UsageError(
      `${file}: this is no configuration that \`lintel import\` knows: see \`lintel import --help\``,
    );
  return known;
}
