// What went wrong on the road to a runner, as a sentence that says what to do.
import type { IncomingMessage } from 'node:http';
import { SUBPROTOCOL } from '../../remote-runner/protocol.js';
import { RunnerError } from './types.js';

const READ_MS = 2000;

/** The runner (or whatever answers there) refused with plain HTTP. */
export async function refusedBy(url: string, response: IncomingMessage): Promise<RunnerError> {
  let text = '';
  // Whatever answers there may never come to an end.
  const enough = setTimeout(() => response.destroy(), READ_MS);
  try {
    for await (const chunk of response) {
      text += String(chunk);
      if (text.length > 1000) break;
    }
  } catch {
    // What came until then is enough.
  }
  clearTimeout(enough);
  const said = text
    .replace(/<[^>]*>|[\x00-\x1f]+/g, ' ')
    .trim()
    .slice(0, 300);
  const status = response.statusCode ?? 0;
  switch (status) {
    case 401:
      return new RunnerError('unauthorized', `${url} refused the token: ${said}`);
    case 403:
      return new RunnerError('protocol', `${url} refused the connection: ${said}`);
    case 426:
      return new RunnerError('protocol', `${url} speaks another protocol version: ${said}`);
    default:
      // A proxy whose runner is being started again says 502 to 504.
      return new RunnerError(
        status >= 500 ? 'refused' : 'protocol',
        `${url} is not a KernelSeek runner: it answered HTTP ${status}${said ? ` (${said})` : ''}.`,
      );
  }
}

/** The connection could not be made. */
export function diagnose(url: string, error: NodeJS.ErrnoException): RunnerError {
  const code = error.code ?? '';
  const { hostname, port } = new URL(url);
  if (code === 'ECONNREFUSED') {
    return new RunnerError(
      'refused',
      `Nothing listens at ${url}. Start kernelseek-runner there, or open the SSH tunnel to it.`,
    );
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new RunnerError(
      'refused',
      `The host ${hostname} of ${url} cannot be found. Check the name and the network.`,
    );
  }
  if (code === 'EPROTO' || code === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    return new RunnerError(
      'protocol',
      `${url} does not speak TLS on port ${port || '443'}: use ws:// instead of wss://.`,
    );
  }
  if (/CERT|SELF_SIGNED|SIGNATURE|ALTNAME/.test(code)) {
    return new RunnerError(
      'protocol',
      `The certificate of ${url} is not trusted (${code}: ${error.message}). Name its authority in NODE_EXTRA_CA_CERTS.`,
    );
  }
  if (/subprotocol/i.test(error.message)) {
    return new RunnerError(
      'protocol',
      `${url} does not speak ${SUBPROTOCOL} (${error.message}). Is it a KernelSeek runner of the same version?`,
    );
  }
  if (code.startsWith('HPE_')) {
    return new RunnerError(
      'protocol',
      `${url} is not a KernelSeek runner: it does not speak HTTP. A TLS runner needs wss://.`,
    );
  }
  return new RunnerError('refused', `${url} cannot be reached: ${error.message}.`);
}

/** RFC 6455, 7.4.1, as far as they occur here. */
export function closeMeaning(code: number): string {
  if (code === 1009) return 'a message was larger than the runner takes';
  if (code === 1006) return 'the connection broke';
  return `WebSocket close code ${code}`;
}
