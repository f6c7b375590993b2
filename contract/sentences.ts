/**
 * Sentences of the service by name, `{...}` standing for what varies. The service writes them, whoever shows them to a person reads
 * the name back and says it in that person's language.
 */
export type Sentences = Readonly<Record<string, string>>

/** What fills the places of a sentence. */
export type Filling = Readonly<Record<string, string>>

/** A sentence with its places filled. */
export const sentence = <T extends Sentences>(table: T, name: keyof T & string, filling: Filling = {}): string =>
  (table[name] ?? '').replace(/\{(\w+)\}/g, (_place, key: string) => filling[key] ?? '')

/** What stands in a place: names of hosts, numbers and codes, never words of a sentence. */
const place = '([^\\s,()]+)'
const escaped = (text: string): string => text.replace(/[.*+?^$()[\]\\|]/g, '\\$&')

/** The name of a sentence and what fills its places; undefined for a text that is none of the table. */
export function readSentence<T extends Sentences>(
  table: T,
  text: string,
): { readonly name: keyof T & string; readonly filling: Filling } | undefined {
  for (const [name, pattern] of Object.entries(table)) {
    const keys = [...pattern.matchAll(/\{(\w+)\}/g)].map(([, key]) => key ?? '')
    const found = new RegExp(`^${escaped(pattern).replace(/\{\w+\}/g, place)}$`).exec(text)
    if (found) return { name, filling: Object.fromEntries(keys.map((key, index) => [key, found[index + 1] ?? ''])) }
  }
  return undefined
}
