/**
 * Numbers and names of the protocol. The library has them too, but modules import only its types: importing a value would load the library with
 * every command.
 *
 * @see https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/
 */

import type { CompletionItemKind, DiagnosticSeverity, Registration, TextDocumentSyncKind } from 'vscode-languageserver';
import type { Severity } from '../diagnostics/severity.ts';

export const SEVERITY: Readonly<Record<Severity, DiagnosticSeverity>> = { error: 1, warning: 2, hint: 3 };

/** The editor sends changes of a text as edits, and not the whole text. */
export const INCREMENTAL: TextDocumentSyncKind = 2;

/** The files that the editor watches: sources, configurations and tool locks. */
export const WATCHED_FILES: Registration = {
  id: 'lintel-files',
  method: 'workspace/didChangeWatchedFiles',
  registerOptions: { watchers: [{ globPattern: '**/*.{yaml,yml,json}' }] },
};

/** Command of a code lens: shows the exposure of gateways in a browser. Arguments: the project's folder, a namespace, names of gateways. */
export const SHOW_EXPOSURE = 'lintel.showExposure';

/** Kinds of completions, which decide their icon. */
export const COMPLETION: Readonly<Record<'field' | 'value' | 'reference' | 'tool', CompletionItemKind>> = {
  field: 5,
  value: 12,
  reference: 18,
  tool: 3,
};
