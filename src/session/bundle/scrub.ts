// Takes out of a session what is nobody else's business: keys, tokens, and whose machine it ran on.
import os from 'node:os';
import { redactor, SECRET_VARIABLES } from '../secrets.js';

/** Forms of keys that are known by their look, from the documentation of those who give them out. */
const KEYS: RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\bsk-[A-Za-z0-9_-]{20,}/g,
  /\b(?:gh[pousr]_|github_pat_)[A-Za-z0-9_]{20,}/g,
  /\bglpat-[A-Za-z0-9_-]{16,}/g,
  /\bhf_[A-Za-z0-9]{20,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  /\bxox[abeprs]-[A-Za-z0-9-]{10,}/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+/g,
  /\bBearer\s+[A-Za-z0-9._~+/-]{16,}=*/gi,
];
/** `https://user:password@host` */
const USERINFO = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@:]+:[^\s/@]+@/gi;
const REMOVED = '[key removed]';

/** True for text in which something looks like a key. */
export function holdsKey(text: string, env: NodeJS.ProcessEnv): boolean {
  return withoutKeys(env)(text) !== text;
}

/**
 * A function that takes keys out of a text: those that look like one, and the values of variables that hold one here.
 */
export function withoutKeys(env: NodeJS.ProcessEnv): (text: string) => string {
  const secrets = Object.entries(env).flatMap(([name, value]) =>
    (SECRET_VARIABLES as readonly string[]).includes(name) || /(?:KEY|TOKEN|SECRET|PASSWORD)$/i.test(name)
      ? [value]
      : [],
  );
  const known = redactor(secrets);
  return (text) =>
    KEYS.reduce((rest, key) => rest.replace(key, REMOVED), known(text)).replace(USERINFO, `$1${REMOVED}@`);
}

/** The same, and paths of this user and this workspace shortened. */
export function scrubber(env: NodeJS.ProcessEnv, workspace: string): (text: string) => string {
  const keys = withoutKeys(env);
  const home = os.homedir();
  const places: [string, string][] = [[workspace, '.']];
  if (home.length > 1) places.push([home, '~']);
  return (text) => places.reduce((rest, [place, short]) => rest.replaceAll(place, short), keys(text));
}

/** Every string of a JSON value, names of fields too, through a function. */
export function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [change(name), mapStrings(item, change)]));
}
