// One answer of the model: asked for with its progress told, another model than before noted in the trace.
import type { Model, ModelAnswer, ModelRequest } from '../../model/model.js';
import type { SessionRecord } from '../record.js';

export interface Asking {
  model: Model;
  record: SessionRecord;
  /** Told while the model writes. */
  onProgress: (detail: string) => void;
}

/** @throws ModelError; the signal's reason on abort */
export async function answerTo(
  { model, record, onProgress }: Asking,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  let written = 0;
  onProgress(`asking ${model.name}`);
  const answer = await model.complete(request, {
    signal,
    onText: (text) => onProgress(`${model.name} writes (${(written += text.length)} characters)`),
    onTrouble: async (message) => void (await record.trouble('model', message)),
  });
  const before = record.state.answering ?? answer.model;
  if (answer.model !== before) await record.append({ type: 'model-changed', from: before, to: answer.model });
  return answer;
}
