// Whether code may change a variable, as far as its words tell. In doubt it may.
import type { Token } from '../../../src/kernel/tokens.js';
import type { BoundNames } from './bound-names.js';

const ASSIGNS = /^(?:=|[-+*/%&|^]=|<<=|\+\+|--)$/;

export function mayChange(
  name: string,
  body: readonly Token[],
  partners: ReadonlyMap<number, number>,
  bound: BoundNames,
): boolean {
  const word = (i: number): string => body[i]?.text ?? '';
  return body.some((token, at) => {
    if (token.text !== name || token.kind !== 'name') return false;
    const before = word(at - 1);
    if (before === '.' || before === '->') return false;
    if (/^(?:\+\+|--)$/.test(before) || (before === '&' && !isOperand(body[at - 2]))) return true;
    if (before === '=' && isReference(body, at - 1)) return true;
    // What a member or a call of an object does is not known; what a pointer points to is not the variable.
    let after = at + 1;
    const isPart = word(after) === '.';
    while (word(after) === '.')
      after = word(after + 2) === '[' ? (partners.get(after + 2) ?? after + 2) + 1 : after + 2;
    if (ASSIGNS.test(word(after)) || word(after) === '(') return true;
    if (word(after) === '>' && (word(after + 1) === '>=' || (word(after + 1) === '>' && word(after + 2) === '=')))
      return true;
    return isPart ? false : isGivenToChanger(body, partners, at, bound);
  });
}

/** `auto& other = name`: what is before the equals sign. */
function isReference(body: readonly Token[], equals: number): boolean {
  for (let i = equals - 1; i >= 0 && !/^[;{}(]$/.test(body[i]?.text ?? ''); i--)
    if (/^&&?$/.test(body[i]?.text ?? '')) return true;
  return false;
}

/** Something that a binary operator may stand behind. */
export function isOperand(token: Token | undefined): boolean {
  return token !== undefined && (token.kind === 'name' || token.kind === 'number' || /^[)\]]$/.test(token.text));
}

/** The variable is by itself an argument of a function that takes references. */
function isGivenToChanger(
  body: readonly Token[],
  partners: ReadonlyMap<number, number>,
  at: number,
  bound: BoundNames,
): boolean {
  if (!/^[(,]$/.test(body[at - 1]?.text ?? '') || !/^[),]$/.test(body[at + 1]?.text ?? '')) return false;
  for (let i = at - 1; i >= 0; i--) {
    const partner = partners.get(i);
    if (partner !== undefined && partner < i) i = partner;
    else if (body[i]?.text === '(') {
      const name = body[i - 1];
      return name?.kind === 'name' && (bound.ties.get(name.text)?.changes ?? false);
    } else if (/^[;{}]$/.test(body[i]?.text ?? '')) return false;
  }
  return false;
}
