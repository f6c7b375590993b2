import type { Fields } from './field.ts'

/** Longest unknown name that is compared and shown, as callers choose it. */
const maxName = 64

/** Edits between two short texts (Levenshtein). */
function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [index, character] of [...a].entries()) {
    const next = [index + 1]
    for (let at = 0; at < b.length; at++)
      next.push(Math.min(row[at + 1]! + 1, next[at]! + 1, row[at]! + (character === b[at] ? 0 : 1)))
    row = next
  }
  return row[b.length]!
}

/** Whether one name may be meant by the other: at most two letters differ, or it is a part of it, in any case. */
function isNear(given: string, known: string): boolean {
  const [a, b] = [given.slice(0, maxName).toLowerCase(), known.toLowerCase()]
  return edits(a, b) <= 2 || (a.length > 2 && (a.includes(b) || b.includes(a)))
}

/** The first parameter of a call that an operation does not have, and those that may be meant, else all that it has. */
export function unknownParameter(
  parameters: Fields,
  call: object,
): { readonly name: string; readonly known: string } | undefined {
  const names = Object.entries(parameters).flatMap(([name, { also = [] }]) => [name, ...also])
  const unknown = Object.keys(call).find((name) => !names.includes(name))
  if (unknown === undefined) return undefined
  const near = names.filter((name) => isNear(unknown, name))
  return {
    name: unknown.length > maxName ? `${unknown.slice(0, maxName)}…` : unknown,
    known: (near.length > 0 ? near : names).join(', ') || 'none',
  }
}
