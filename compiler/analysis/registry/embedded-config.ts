import { isObject } from '#schemas';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { isMistake } from '../../diagnostics/is-error.ts';
import type { ResourceDocument } from '../../source/classify.ts';
import { readEmbedded } from '../../source/embedded-text.ts';
import { formatPointer } from '../../text/pointer.ts';

const PATH = ['spec', 'configYAML'];

export interface EmbeddedConfig {
  /** The configuration as a document owned by its MCPRegistry; undefined when the text is invalid. */
  readonly config?: ResourceDocument;
  readonly diagnostics: readonly Diagnostic[];
  /** Moves a finding from the configuration to the MCPRegistry: a JSON pointer cannot lead into a text. */
  relocate(found: Diagnostic): Diagnostic;
}

/** The configuration file inside of an MCPRegistry. */
export function parseEmbeddedConfig(server: ResourceDocument, text: string): EmbeddedConfig {
  const relocate = (found: Diagnostic): Diagnostic => ({
    ...found,
    pointer: formatPointer(PATH),
    object: server.object,
  });
  const read = readEmbedded(server.doc, PATH, text);
  const found = [...read.diagnostics, ...read.documents.flatMap(({ caveats }) => caveats)].map(relocate);
  if (found.some(isMistake)) return { diagnostics: found, relocate };
  const [doc, second] = read.documents;
  if (doc !== undefined && second === undefined && isObject(doc.value))
    return { config: { ...server, doc }, diagnostics: found, relocate };
  const message = 'configYAML must hold the configuration of a registry server, which is one mapping';
  return { diagnostics: [...found, diagnose(server, 'LNT1004', PATH, message, { at: 'key' })], relocate };
}
