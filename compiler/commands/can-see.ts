import {
  ANSWER_RENDERERS,
  createUndecidedRegistryAnswer,
  decideRegistryAccess,
  type RegistryAnswer,
  type RegistryQuestion,
} from '../analysis/access/index.ts';
import type { CompiledRegistry } from '../compile/registries.ts';
import { UsageError } from '../usage-error.ts';
import { type CanOptions, EXIT_CODES, formatNearest, readClaims } from './can.ts';
import { chooseObjects, requireOne } from './choose-objects.ts';
import { type CompiledPaths, compilePaths, printErrors } from './compile-paths.ts';
import { createEvaluationContext } from './evaluation-context.ts';

/** Prints whether a caller may see a registry or the entries of a source, and what decides. Returns the exit code. */
export async function canSee(name: string, paths: readonly string[], options: CanOptions): Promise<number> {
  if (options.gateway !== undefined)
    throw new UsageError('a gateway has no registries: name a registry server with --registry');
  if (options.args !== undefined) throw new UsageError('a registry is seen without arguments: leave --args out');
  const question = { name, claims: readClaims(paths, options) };
  const compiled = await compilePaths(paths, { ...options, purpose: 'language' });
  const chosen = chooseObjects(compiled.compilation.registries, options.registry, 'registry server');
  const answer = answerFor(compiled, requireOne(chosen, 'registry server', '--registry'), question);
  process.stdout.write(ANSWER_RENDERERS[options.format](answer));
  return EXIT_CODES[answer.decision];
}

/** @throws UsageError for a name that the registry server does not have */
function answerFor(compiled: CompiledPaths, registry: CompiledRegistry, question: RegistryQuestion): RegistryAnswer {
  const { namespace, name } = registry.object;
  const plan = compiled.compilation.checked.complete ? registry.plan() : null;
  if (plan === null) {
    printErrors(compiled);
    const cause = 'the specs have errors, so what the registry server would show is not known';
    return createUndecidedRegistryAnswer({ namespace, name }, question, cause);
  }
  const answer = decideRegistryAccess(plan, question, createEvaluationContext());
  if (answer.decision !== 'no-such-name') return answer;
  throw new UsageError(
    `${namespace}/${name} has no registry "${question.name}", and no registry with a source of this name; ${formatNearest(answer.nearest)}`,
  );
}
