// How a question reaches the agent. Its words are those of the question, unchanged; nothing is added to them.

/** The agent is to pick. @param evidence why now */
export function alternativesPrompt(evidence: string, questions: readonly string[]): string {
  return [
    `Before you go on (${evidence}):`,
    ...questions.map((text, i) => `${i + 1}. ${text}`),
    'Call ask with the number of the one that leads furthest from where you stand, why, and your answer. Then act on it.',
  ].join('\n');
}

/** One question was put. @param own in a person's own words */
export function putPrompt(text: string, own: boolean): string {
  return `${own ? 'The engineer asks' : 'A question before you go on'}:\n1. ${text}\nCall ask with your answer. Then act on it.`;
}

/** A person answered it. */
export function answeredPrompt(question: string, answer: string): string {
  return `A question was asked: ${question}\nThe engineer answers: ${answer}`;
}
