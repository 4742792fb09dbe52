/** Every library that the language server runs, bundled into a separate file that only `lintel lsp` loads. */

export {
  createConnection,
  LSPErrorCodes,
  ProposedFeatures,
  ResponseError,
  TextDocuments,
} from 'vscode-languageserver/node';
export { TextDocument } from 'vscode-languageserver-textdocument';
