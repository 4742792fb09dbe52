/** All of the libraries that runs: built into a file of its own next to the executables, which `lintel lsp` alone loads. */

export {
  createConnection,
  LSPErrorCodes,
  ProposedFeatures,
  ResponseError,
  TextDocuments,
} from 'vscode-languageserver/node';
export { TextDocument } from 'vscode-languageserver-textdocument';
