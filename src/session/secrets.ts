// Keeps keys where they belong: out of traces, logs, error texts and the environment of every child process.

/** Variables that hold a key or a token of ours or of a model endpoint. */
export const SECRET_VARIABLES = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'KERNELSEEK_RUNNER_TOKEN'] as const;

/** A copy of an environment without the variables that hold keys. */
export function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const copy = { ...env };
  for (const name of SECRET_VARIABLES) delete copy[name];
  return copy;
}

/** Takes out variables, whatever their names, that hold one of these secrets. */
export function forget(env: NodeJS.ProcessEnv, secrets: readonly (string | undefined)[]): void {
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && value !== '' && secrets.includes(value)) delete env[name];
  }
}

/** Local model servers take any key; removing every `x` from a log would hide the log, not the key. */
const SHORTEST_SECRET = 8;

/**
 * A function that replaces each secret in a text, also where the text is JSON and the secret is escaped in it.
 * Secrets under eight characters are placeholders and stay.
 */
export function redactor(secrets: readonly (string | undefined)[]): (text: string) => string {
  const forms = new Set<string>();
  for (const secret of secrets) {
    if (secret === undefined || secret.length < SHORTEST_SECRET) continue;
    forms.add(secret);
    forms.add(JSON.stringify(secret).slice(1, -1));
    forms.add(encodeURIComponent(secret));
  }
  // Longest first: an escaped form may contain the plain one.
  const ordered = [...forms].sort((a, b) => b.length - a.length);
  return (text) => ordered.reduce((rest, form) => rest.replaceAll(form, '[key removed]'), text);
}
