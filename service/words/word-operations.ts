import { local } from '../../contract/operations/index.ts'
import { serve, type Served } from '../http/dispatch.ts'
import { Refused } from '../refusal.ts'
import { readWord } from './word-matcher.ts'
import type { Words } from './words.ts'

/** Total letters of a list's words after folding; some characters expand. */
const maxLetters = 1_000_000

/** Handlers of the word list. Words are trimmed and unique in any case. */
export const wordOperations = (words: Words): Served[] => [
  serve(local.words, (_parameters, { application: { uid } }) => {
    const { words: kept, hold } = words.read(uid)
    return { ret: { words: [...kept], hold } }
  }),
  serve(local.setWords, async ({ words: given, hold }, { application: { uid } }) => {
    const kept = new Map<string, string>()
    let letters = 0
    for (const word of given) {
      const pattern = readWord(word)
      if (!pattern) throw new Refused(local.setWords.invalid, 'words has an empty word')
      letters += pattern.text.length
      kept.set(`${pattern.begins} ${pattern.ends} ${pattern.text}`, word.trim())
    }
    if (letters > maxLetters) throw new Refused(local.setWords.invalid, `words has more than ${maxLetters} letters`)
    await words.replace(uid, { words: [...kept.values()], hold })
    return {}
  }),
]
