import { describe, expect, test } from 'vitest';
import { endpointOf, environmentKey } from './model-endpoint.js';

const usual = { name: 'ANTHROPIC_API_KEY', chosen: false };

describe('the endpoint', () => {
  test('is the setting, else the environment, else the default', () => {
    expect(endpointOf('http://box:9/v', { ANTHROPIC_BASE_URL: 'https://b' }).origin).toBe('http://box:9');
    expect(endpointOf('', { ANTHROPIC_BASE_URL: 'https://proxy.example/x' }).origin).toBe('https://proxy.example');
    expect(endpointOf('', {}).origin).toBe('https://api.anthropic.com');
  });

  test('must be an http address; the error says which setting', () => {
    expect(() => endpointOf('nonsense', {})).toThrow(/nonsense.*kernelseek\.model\.baseUrl/);
    expect(() => endpointOf('file:///etc/passwd', {})).toThrow(/kernelseek\.model\.baseUrl/);
  });
});

describe("the environment's key", () => {
  const env = { ANTHROPIC_API_KEY: 'usual', MY_KEY: 'mine' };

  test('of the usual variable goes to the usual endpoint only', () => {
    expect(environmentKey(endpointOf('', env), usual, env)).toBe('usual');
    expect(environmentKey(endpointOf('http://127.0.0.1:8080', env), usual, env)).toBeUndefined();
  });

  test('belongs to ANTHROPIC_BASE_URL where that is set', () => {
    const proxied = { ...env, ANTHROPIC_BASE_URL: 'http://proxy:1' };
    expect(environmentKey(endpointOf('', proxied), usual, proxied)).toBe('usual');
    expect(environmentKey(endpointOf('https://api.anthropic.com', proxied), usual, proxied)).toBeUndefined();
  });

  test('of a variable that the user named goes to the endpoint of the settings', () => {
    const endpoint = endpointOf('http://127.0.0.1:8080', env);
    expect(environmentKey(endpoint, { name: 'MY_KEY', chosen: true }, env)).toBe('mine');
    expect(environmentKey(endpoint, { name: 'ABSENT', chosen: true }, env)).toBeUndefined();
  });
});
