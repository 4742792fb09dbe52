/** `lintel-runtime rehearse`: runs workflows by scripts. Nothing is served, and nothing is connected to. */
import type { Readable, Writable } from 'node:stream';
import type { RehearsalQuestion, RehearsalRecord, RehearsalScript } from '#schemas';
import { OptionError } from '../options.ts';
import { readAll, writeLine } from '../standard-streams.ts';
import { rehearse } from './rehearse.ts';
import { ScriptedActors } from './scripted-actors.ts';

/**
 * Reads the question from `input` to its end and writes the record of each run as a line to `output`.
 *
 * @throws OptionError when the question is none
 */
export async function rehearseAll(input: Readable, output: Writable): Promise<void> {
  const { runs } = questionIn(await readAll(input));
  for (const script of runs) await writeLine(output, JSON.stringify(await recordOf(script)));
}

async function recordOf(script: RehearsalScript): Promise<RehearsalRecord> {
  const actors = new ScriptedActors(script);
  const { cancelAfterMs } = script;
  const { run, changes, durationMs } = await rehearse(script.plan, script.input, actors, { cancelAfterMs });
  const { status, output, error, failure, outcomes } = run;
  return {
    status,
    output,
    ...(error !== undefined && { error }),
    failure,
    outcomes,
    calls: actors.calls,
    questions: actors.questions,
    changes,
    durationMs,
  };
}

function questionIn(text: string): RehearsalQuestion {
  try {
    const question = JSON.parse(text) as RehearsalQuestion;
    if (Array.isArray(question.runs)) return question;
  } catch {
    // The error below names the form.
  }
  throw new OptionError('rehearse reads {"runs": […]} from standard input; `lintel test` writes it');
}
