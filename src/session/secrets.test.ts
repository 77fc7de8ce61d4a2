// Keys stay out of texts and environments, whatever form they take there.
import { expect, test } from 'vitest';
import { forget, redactor, withoutSecrets } from './secrets.js';

test('a secret is removed as it is, escaped as JSON, and as part of a URL', () => {
  const secret = 'sk-"quoted"/\\back+slash';
  const redact = redactor([secret, undefined, '']);
  for (const text of [secret, JSON.stringify({ a: [secret] }), `https://h/?key=${encodeURIComponent(secret)}`]) {
    expect(redact(`before ${text} after`)).toMatch(/^before .*\[key removed\].* after$/);
    expect(redact(text)).not.toContain('quoted');
  }
  expect(JSON.parse(redact(JSON.stringify({ a: secret })))).toEqual({ a: '[key removed]' });
});

test('a placeholder such as x is no secret', () => {
  expect(redactor(['x'])('x is next')).toBe('x is next');
});

test('environments lose keys by name and by value', () => {
  const env: NodeJS.ProcessEnv = { PATH: '/bin', ANTHROPIC_API_KEY: 'a', MY_OWN_NAME: 'the-key', EMPTY: '' };
  expect(withoutSecrets(env)).toEqual({ PATH: '/bin', MY_OWN_NAME: 'the-key', EMPTY: '' });
  forget(env, ['the-key', undefined, '']);
  expect(env).toEqual({ PATH: '/bin', ANTHROPIC_API_KEY: 'a', EMPTY: '' });
});
