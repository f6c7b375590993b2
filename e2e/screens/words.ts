import { spoken } from '../../renderer/format/languages.ts'
import { allWords } from '../../renderer/locales/messages.ts'
import type { Language } from './personas.ts'

/** A text of the interface by its key, as a person reads it; `{name}` is filled in, and of a plural the last form is taken. */
export type Say = (key: string, named?: Readonly<Record<string, string | number>>) => string

/** Reads all texts of a language. Asking for a key that is not there throws: then the pictures' script is older than the page. */
export function readWords(language: Language): Say {
  const all = spoken(allWords, language)
  return (key, named = {}) => {
    let at: unknown = all
    for (const part of key.split('.'))
      at = typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[part] : undefined
    if (typeof at !== 'string') throw new Error(`no text ${key} in ${language}`)
    return at
      .split(' | ')
      .at(-1)!
      .replace(/\{(\w+)\}/g, (whole, name: string) => String(named[name] ?? whole))
  }
}
