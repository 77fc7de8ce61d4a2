// Where the runner says what happens: one line each on stderr, since stdout belongs to --ready-json.

/** Takes one line; never a token, a source or anything else a client sent in confidence. */
export type Log = (line: string) => void;

export const logToStderr: Log = (line) => {
  process.stderr.write(`${new Date().toISOString()} ${line}\n`);
};
