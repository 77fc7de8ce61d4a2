// Which endpoint a session talks to, and which key may go there. Pure: the key never travels to another origin.

export const DEFAULT_ENDPOINT = 'https://api.anthropic.com';

export interface Endpoint {
  baseUrl: string;
  /** Scheme, host and port: what a key is bound to. */
  origin: string;
}

/**
 * The configured endpoint, else the environment's, else Anthropic's.
 * @throws Error naming the address when it is not an http(s) URL
 */
export function endpointOf(configured: string, environment: NodeJS.ProcessEnv): Endpoint {
  const baseUrl = configured || environment['ANTHROPIC_BASE_URL'] || DEFAULT_ENDPOINT;
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch {
    throw new Error(`"${baseUrl}" is not an address: set kernelseek.model.baseUrl to one such as ${DEFAULT_ENDPOINT}`);
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new Error(`"${baseUrl}" must start with https:// or http://: change kernelseek.model.baseUrl`);
  }
  return { baseUrl, origin: url.origin };
}

/**
 * The environment's key, if it may go to `endpoint`: the usual variable belongs to the usual endpoint (ANTHROPIC_BASE_URL,
 * else Anthropic's); a variable that the user named in the settings belongs to the endpoint of the settings.
 */
export function environmentKey(
  endpoint: Endpoint,
  variable: { name: string; chosen: boolean },
  environment: NodeJS.ProcessEnv,
): string | undefined {
  const key = environment[variable.name];
  if (key === undefined || key === '') return undefined;
  return variable.chosen || endpointOf('', environment).origin === endpoint.origin ? key : undefined;
}
