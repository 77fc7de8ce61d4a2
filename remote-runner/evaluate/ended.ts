import type { Status } from '../protocol.js';

/** Ends an evaluation with a verdict from anywhere inside. */
export class Ended extends Error {
  constructor(
    readonly status: Status,
    message: string,
  ) {
    super(message);
    this.name = 'Ended';
  }
}
