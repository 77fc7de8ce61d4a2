// Why a host function is not read as a list of launches: said to the user, never a fault.

export class Refusal extends Error {
  /** @param message goes on after "the entry …": `calls cudaMalloc (line 12)` */
  constructor(message: string) {
    super(message.replace(/[\p{Cc}\s]+/gu, ' ').slice(0, LONGEST));
    this.name = 'Refusal';
  }
}

/** Characters; names of a hostile source may have any length. */
const LONGEST = 200;

/** A piece of source as it stands in a message. */
export const shown = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
