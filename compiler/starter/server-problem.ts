/** Checks whether a server can be served, with the compiler itself, so that written specs pass `lintel check`. */
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { compileTexts, loadProject } from '../project/index.ts';
import { SourceText } from '../source/source-text.ts';
import { isOnThisMachine } from './on-this-machine.ts';
import { formatSpecs } from './specs-text.ts';
import { isProgram, type StarterServer } from './starter-server.ts';

/** Why a gateway with this server alone would not be built; undefined when it would. */
export function findServerProblem(server: StarterServer): string | undefined {
  if (!isProgram(server) && isOnThisMachine(server)) {
    const { plainHeaders, secretHeaders } = server;
    if (Object.keys(plainHeaders).length > 0 || secretHeaders.length > 1)
      return 'a server on this machine gets one header, and that from a variable: leave the others out';
  }
  const [error] = findErrors(formatSpecs({ name: 'gateway', description: 'One server.', servers: [server] }));
  return error && `${error.message} (${error.code})`;
}

/** Errors that prevent a build under any `lintel.yaml`. */
export function findErrors(text: string): readonly Diagnostic[] {
  const cwd = process.cwd();
  const { compilation } = compileTexts([new SourceText('gateway.yaml', text)], loadProject(false, cwd), {
    cwd,
    purpose: 'build',
    sourceRevision: null,
    catalog: false,
  });
  return compilation.findings.all.filter(({ severity }) => severity === 'error');
}
